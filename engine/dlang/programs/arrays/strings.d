#pragma D option quiet

BEGIN
{
	a["one"] = 1;
	a["two"] = 2;
	printf("%d %d %d\n", a["one"], a["two"], a["three"]);
	b["x"] = "y";
	printf("%s\n", b["x"]);
	exit(0);
}
