#pragma D option quiet

struct s { int a; };
struct s v;

BEGIN
{
	trace(v ? 1 : 0);
	exit(0);
}
