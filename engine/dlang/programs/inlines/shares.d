#pragma D option quiet

int n;
inline int x0 = n + n;
inline int x1 = x0 + x0;
inline int x2 = x1 + x1;
inline int x3 = x2 + x2;
inline int x4 = x3 + x3;
inline int x5 = x4 + x4;
inline int x6 = x5 + x5;
inline int x7 = x6 + x6;
inline int x8 = x7 + x7;

BEGIN
{
	n = 3;
	printf("%d\n", x8);
	exit(0);
}
