#pragma D option quiet

enum e { A, B };
enum e v;

BEGIN
{
	v = 17;
	printf("%d\n", v);
	exit(0);
}
