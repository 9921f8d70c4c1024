#pragma D option quiet

struct inner { int a; int b; };
struct outer { char n; struct inner in; };

BEGIN
{
	printf("%d %d\n", offsetof(struct outer, in), sizeof (struct outer));
	exit(0);
}
