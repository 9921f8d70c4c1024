#pragma D option quiet

struct s { int a; };
struct s v;

BEGIN
{
	printf("%d\n", v);
	exit(0);
}
