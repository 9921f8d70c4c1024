#pragma D option quiet

struct s { enum { OFF, ON } state; };
struct s v;

BEGIN
{
	v.state = ON;
	printf("%d\n", v.state);
	exit(0);
}
