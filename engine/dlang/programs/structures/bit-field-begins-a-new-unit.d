#pragma D option quiet

struct f { unsigned int a : 20; unsigned int b : 20; };

BEGIN
{
	printf("%d\n", sizeof (struct f));
	exit(0);
}
