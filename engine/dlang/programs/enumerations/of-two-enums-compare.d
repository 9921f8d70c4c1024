#pragma D option quiet

enum e { A = 1 };
enum f { B = 1 };

BEGIN
{
	printf("%d\n", A == B);
	exit(0);
}
