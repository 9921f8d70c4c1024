#pragma D option quiet

enum e { A = 3, B = 3 };

BEGIN
{
	printf("%d\n", A == B);
	exit(0);
}
