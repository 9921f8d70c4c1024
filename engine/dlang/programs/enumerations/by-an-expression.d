#pragma D option quiet

enum e { A = 1 << 4, B = A | 1, C = sizeof (int) };

BEGIN
{
	printf("%d %d %d\n", A, B, C);
	exit(0);
}
