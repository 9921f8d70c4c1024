#pragma D option quiet

BEGIN
{
	this->n = 5;
}

BEGIN
{
	printf("%d\n", this->n);
	exit(0);
}
