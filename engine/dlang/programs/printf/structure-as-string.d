#pragma D option quiet

struct s { int a; };
struct s v;

BEGIN
{
	printf("%s\n", v);
	exit(0);
}
