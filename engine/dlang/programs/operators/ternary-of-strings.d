#pragma D option quiet

BEGIN
{
	this->s = 0 ? "first" : "second";
	printf("%s\n", this->s);
	exit(0);
}
