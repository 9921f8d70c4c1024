#pragma D option quiet

#pragma D option strsize=8
BEGIN
{
	a["0123456789"] = 1;
	printf("%d\n", a["01234567xx"]);
	exit(0);
}
