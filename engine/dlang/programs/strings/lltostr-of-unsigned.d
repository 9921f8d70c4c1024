#pragma D option quiet

BEGIN
{
	printf("%s %s\n", lltostr((uint8_t)-1), lltostr((int8_t)-1));
	exit(0);
}
