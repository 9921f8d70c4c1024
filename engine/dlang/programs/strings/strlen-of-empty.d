#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strlen(""), strlen("\0abc"));
	exit(0);
}
