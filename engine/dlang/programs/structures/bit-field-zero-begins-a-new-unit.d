#pragma D option quiet

struct f { unsigned int a : 4; unsigned int : 0; unsigned int b : 4; };

BEGIN
{
	printf("%d\n", sizeof (struct f));
	exit(0);
}
