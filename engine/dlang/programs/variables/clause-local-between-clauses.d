#pragma D option quiet

BEGIN
{
	this->x = 5;
	x = 1;
}

BEGIN
/this->x == 5/
{
	printf("%d %d\n", this->x, x);
	exit(0);
}
