#pragma D option quiet

BEGIN
{
	printf("[%d]\n", 4294967295u);
	printf("[%d]\n", (char)200);
	printf("[%d]\n", (unsigned char)200);
	printf("[%d]\n", 18446744073709551615u);
	exit(0);
}
