#pragma D option quiet

int a, b;

BEGIN
{
	this->x = 1 ? ++a : ++b;
	printf("%d %d %d\n", this->x, a, b);
	exit(0);
}
