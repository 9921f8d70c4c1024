#pragma D option quiet

inline int LIMIT = 10;
inline string NAME = "limit";

BEGIN
{
	printf("%d %s\n", LIMIT + 1, NAME);
	exit(0);
}
