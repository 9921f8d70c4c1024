#pragma D option quiet

BEGIN
{
	printf("[%s] [%4s]\n", "", "");
	exit(0);
}
