#pragma D option quiet

int n;

BEGIN
{
	this->x = 1 || n++;
	this->y = 0 || ++n;
	printf("%d %d %d\n", this->x, this->y, n);
	exit(0);
}
