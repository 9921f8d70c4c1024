#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", toupper(""), tolower(""));
	exit(0);
}
