#pragma D option quiet

BEGIN
{
	printf("plain\n");
	exit(0);
}
