#pragma D option quiet
#pragma D option argref

BEGIN
{
	printf("%d\n", $1);
	exit(0);
}
