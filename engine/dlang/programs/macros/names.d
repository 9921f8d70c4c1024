#pragma D option quiet

BEGIN
{
	$1 = 3;
	printf("%d\n", x);
	exit(0);
}
