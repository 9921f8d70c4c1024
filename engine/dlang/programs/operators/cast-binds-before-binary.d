#pragma D option quiet

BEGIN
{
	printf("%d %d\n", (char)255 + 1, (char)(255 + 1));
	exit(0);
}
