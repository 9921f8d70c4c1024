#pragma D option quiet

BEGIN
{
	a["n"]++;
	a["n"]++;
	printf("%d ", a["n"]++);
	printf("%d ", --a["n"]);
	printf("%d\n", a["n"]);
	exit(0);
}
