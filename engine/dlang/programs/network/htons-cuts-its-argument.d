#pragma D option quiet

BEGIN
{
	printf("%x %x\n", htons(0x123456), htonl(0x123456789a));
	exit(0);
}
