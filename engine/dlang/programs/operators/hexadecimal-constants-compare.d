#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 0xff == 255, 0777 == 511);
	exit(0);
}
