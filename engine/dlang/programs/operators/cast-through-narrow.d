#pragma D option quiet

BEGIN
{
	printf("%d %d\n", (int)(char)0x181, (int)(unsigned char)0x181);
	exit(0);
}
