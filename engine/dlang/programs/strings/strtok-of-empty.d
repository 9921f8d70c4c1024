#pragma D option quiet

BEGIN
{
	printf("%d\n", strtok("", ",") == NULL);
	exit(0);
}
