#pragma D option quiet

inline int N = 4;

BEGIN
{
	N = 5;
	exit(0);
}
