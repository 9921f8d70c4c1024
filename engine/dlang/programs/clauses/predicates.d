#pragma D option quiet

BEGIN
{
	x = 2;
}

BEGIN
/x == 1/
{
	printf("one\n");
}

BEGIN
/x == 2/
{
	printf("two\n");
}

BEGIN
{
	exit(0);
}
