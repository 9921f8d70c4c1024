#pragma D option quiet

enum e { A };
enum e v;

BEGIN
{
	printf("%d %d %d\n", sizeof (enum e), sizeof (v), sizeof (A));
	exit(0);
}
