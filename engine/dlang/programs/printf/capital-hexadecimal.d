#pragma D option quiet

BEGIN
{
	printf("%X %x\n", 0xabcdef, 0xabcdef);
	exit(0);
}
