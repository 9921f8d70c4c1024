#pragma D option quiet

BEGIN
{
	printf("%s %s\n", tolower("Trapline 1!"), toupper("Trapline 1!"));
	printf("[%s]\n", toupper(""));
	exit(0);
}
