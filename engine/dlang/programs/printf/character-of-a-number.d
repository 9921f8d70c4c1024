#pragma D option quiet

BEGIN
{
	printf("%c%c%c\n", 72, 'i', 0x21);
	exit(0);
}
