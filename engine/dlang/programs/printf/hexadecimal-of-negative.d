#pragma D option quiet

BEGIN
{
	printf("%x %x %x\n", (char)-1, (short)-1, -1);
	exit(0);
}
