#pragma D option quiet

enum e { A = 5, B, C = 1, D };

BEGIN
{
	printf("%d %d %d %d\n", A, B, C, D);
	exit(0);
}
