#pragma D option quiet

BEGIN
{
	printf("%s %s\n", basename("///"), basename("a///"));
	exit(0);
}
