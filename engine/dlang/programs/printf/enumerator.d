#pragma D option quiet

enum e { A = 7 };

BEGIN
{
	printf("%d\n", A);
	exit(0);
}
