#pragma D option quiet

BEGIN
{
	this->a = (uint8_t *)alloca(4);
	this->a[0] = 10;
	this->a[2] = 255;
	this->a[3] = 7;
	printf("%s\n", inet_ntoa(this->a));
	exit(0);
}
