#pragma D option quiet

BEGIN
{
	a["x"] = 5;
	a["x"] = 0;
	printf("%d\n", a["x"]);
	exit(0);
}
