#pragma D option quiet

struct s { int a; };

BEGIN
{
	x = 5;
	trace(x.a);
	exit(0);
}
