#pragma D option quiet

BEGIN
{
	a["ab"] = 1;
	printf("%d\n", a[strjoin("a", "b")]);
	exit(0);
}
