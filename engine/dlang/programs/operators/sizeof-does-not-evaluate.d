#pragma D option quiet

int n;

BEGIN
{
	this->x = sizeof (n++);
	printf("%d %d\n", this->x, n);
	exit(0);
}
