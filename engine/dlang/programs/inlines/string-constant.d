#pragma D option quiet

inline string NAME = "name";

BEGIN
{
	printf("%s %d\n", NAME, strlen(NAME));
	exit(0);
}
