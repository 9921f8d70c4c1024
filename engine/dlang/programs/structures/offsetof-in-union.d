#pragma D option quiet

union both { char c; int i; };

BEGIN
{
	printf("%d %d\n", offsetof(union both, c), offsetof(union both, i));
	exit(0);
}
