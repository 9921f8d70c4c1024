#pragma D option quiet

char a[int, string];

BEGIN
{
	a[1, "x"] = 300;
	printf("%d\n", a[1, "x"]);
	exit(0);
}
