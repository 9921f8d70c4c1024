#pragma D option quiet

BEGIN
{
	printf("%d\n", sizeof (long) == sizeof (void *));
	printf("%d\n", sizeof (size_t) == sizeof (char *));
	printf("%d\n", sizeof (uintptr_t) == sizeof (long));
	exit(0);
}
