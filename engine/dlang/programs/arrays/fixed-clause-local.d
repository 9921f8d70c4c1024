#pragma D option quiet

this short a[2];

BEGIN
{
	this->a[1] = 7;
	printf("%d %d\n", this->a[0], this->a[1]);
	exit(0);
}
