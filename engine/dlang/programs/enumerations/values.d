#pragma D option quiet

enum colour { RED, GREEN = 5, BLUE, DARK = -2, };
enum colour c;

BEGIN
{
	c = BLUE;
	printf("%d %d %d %d %d\n", RED, GREEN, c, DARK, DARK + 1);
	printf("%d %d\n", sizeof (enum colour), c == BLUE);
	c++;
	printf("%d\n", c);
	exit(0);
}
