#pragma D option quiet

enum e { A, B, };

BEGIN
{
	printf("%d\n", B);
	exit(0);
}
