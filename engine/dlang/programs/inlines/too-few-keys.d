#pragma D option quiet

inline int both[int a, int b] = a + b;

BEGIN
{
	trace(both[1]);
	exit(0);
}
