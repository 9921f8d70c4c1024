#pragma D option quiet

enum e { OFF, ON };
struct s { enum e state; };
struct s v;

BEGIN
{
	v.state = ON;
	print(v);
	exit(0);
}
