#pragma D option quiet

struct tally { int n; long total; };
struct tally t[int];

BEGIN
{
	t[1].n++;
	t[1].n += 4;
	t[1].total -= 10;
	printf("%d %d\n", t[1].n, t[1].total);
	exit(0);
}
