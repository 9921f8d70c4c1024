#pragma D option quiet

int n;

BEGIN
{
	this->x = (n++, n++, n);
	printf("%d\n", this->x);
	exit(0);
}
