#pragma D option quiet

BEGIN
{
	printf("%s %s\n", lltostr(35, 36), lltostr(36, 36));
	exit(0);
}
