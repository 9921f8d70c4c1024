#pragma D option quiet

BEGIN
{
	int_x = 1;
	iff = 2;
	selfish = 3;
	printf("%d\n", int_x + iff + selfish);
	exit(0);
}
