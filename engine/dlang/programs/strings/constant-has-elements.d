#pragma D option quiet

BEGIN
{
	printf("%c\n", "abc"[2]);
	exit(0);
}
