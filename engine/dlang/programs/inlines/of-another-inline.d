#pragma D option quiet

inline int A = 2;
inline int B = A * A;
inline int C = B + A;

BEGIN
{
	printf("%d\n", C);
	exit(0);
}
