#pragma D option quiet

typedef short first;
typedef first second;
second v;

BEGIN
{
	v = 0x18000;
	printf("%d %d\n", v, sizeof (second));
	exit(0);
}
