#pragma D option quiet

int x;

BEGIN
{
	commit(9);
	x++;
}

BEGIN
{
	speculate(2);
	x++;
	printf("not here\n");
}

BEGIN
{
	discard(-1);
	x++;
}

BEGIN
{
	commit(0);
	discard(0);
	discard(1);
	x++;
}

BEGIN
{
	printf("%d\n", x);
	exit(0);
}
