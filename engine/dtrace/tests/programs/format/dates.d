/* Nanoseconds since the epoch as dates. */
#pragma D option quiet
BEGIN
{
	printf("%Y\n%T\n", 1365528000000000000LL, 1365528000000000000LL);
	printf("[%25Y]\n", 1000000000LL);
	exit(0);
}
