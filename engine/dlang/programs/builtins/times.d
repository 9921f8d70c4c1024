#pragma D option quiet

BEGIN
{
	printf("%d\n", timestamp > 0);
	printf("%d\n", walltimestamp > 1700000000000000000);
	printf("%d\n", vtimestamp >= 0);
	this->a = timestamp;
	printf("%d\n", timestamp >= this->a);
	exit(0);
}
