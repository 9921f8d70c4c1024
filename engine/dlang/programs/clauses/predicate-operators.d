#pragma D option quiet

BEGIN
{
	x = 6;
}

BEGIN
/x / 2 == 3 && (x > 5 || x < 0)/
{
	printf("yes\n");
}

BEGIN
/!(x > 5)/
{
	printf("no\n");
}

BEGIN
/x/
{
	exit(0);
}
