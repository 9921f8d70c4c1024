#pragma D option quiet

BEGIN
{
	this->s = "abc";
	printf("%c %d\n", this->s[1], this->s[3]);
	exit(0);
}
