#pragma D option quiet

BEGIN
{
	printf("%s|%s\n", "\1012", "\1018");
	exit(0);
}
