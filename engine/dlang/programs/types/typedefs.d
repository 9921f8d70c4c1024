#pragma D option quiet

typedef unsigned char byte_t;
typedef unsigned short pair_t;
byte_t x;

BEGIN
{
	x = 300;
	printf("%d\n", x);
	printf("%d\n", (pair_t)-1);
	printf("%d\n", sizeof (pair_t));
	exit(0);
}
