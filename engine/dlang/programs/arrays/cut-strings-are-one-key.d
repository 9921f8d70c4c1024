#pragma D option quiet

#pragma D option strsize=8
BEGIN
{
	a["0123456789"] = 1;
	printf("%d\n", a["0123456xxx"]);
	exit(0);
}
