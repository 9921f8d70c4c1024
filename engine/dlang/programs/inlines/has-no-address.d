#pragma D option quiet

inline int N = 4;

BEGIN
{
	trace(&N);
	exit(0);
}
