#pragma D option quiet

BEGIN
{
	this->s = 1 ? "first" : NULL;
	printf("%s\n", this->s);
	exit(0);
}
