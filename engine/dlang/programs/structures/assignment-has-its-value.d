#pragma D option quiet

struct narrow { char c; };
struct narrow n;

BEGIN
{
	this->v = n.c = 300;
	printf("%d %d\n", this->v, n.c);
	exit(0);
}
