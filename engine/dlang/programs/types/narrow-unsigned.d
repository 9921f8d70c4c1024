#pragma D option quiet

BEGIN
{
	x = 70000;
	printf("%d %d\n", (unsigned short)x, (unsigned char)x);
	exit(0);
}
