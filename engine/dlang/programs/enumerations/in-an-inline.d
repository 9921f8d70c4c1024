#pragma D option quiet

enum e { A = 4 };
inline int twice = A * 2;

BEGIN
{
	printf("%d\n", twice);
	exit(0);
}
