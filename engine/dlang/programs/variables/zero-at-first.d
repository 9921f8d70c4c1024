#pragma D option quiet

int x;
self int y;

BEGIN
{
	printf("%d %d\n", x, self->y);
	exit(0);
}
