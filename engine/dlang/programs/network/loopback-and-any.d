#pragma D option quiet

BEGIN
{
	this->a = (uint8_t *)alloca(16);
	this->a[15] = 1;
	printf("%s ", inet_ntoa6(this->a));
	this->a[15] = 0;
	printf("%s\n", inet_ntoa6(this->a));
	exit(0);
}
