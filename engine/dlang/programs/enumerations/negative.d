#pragma D option quiet

enum e { LOW = -2, NEXT, ZERO };

BEGIN
{
	printf("%d %d %d\n", LOW, NEXT, ZERO);
	exit(0);
}
