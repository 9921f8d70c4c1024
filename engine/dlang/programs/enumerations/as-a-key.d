#pragma D option quiet

enum e { A, B };

BEGIN
{
	seen[B] = 1;
	printf("%d %d\n", seen[A], seen[1]);
	exit(0);
}
