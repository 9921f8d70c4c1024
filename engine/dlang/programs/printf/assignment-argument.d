#pragma D option quiet

BEGIN
{
	printf("%d %d\n", this->a = 5, this->a + 1);
	exit(0);
}
