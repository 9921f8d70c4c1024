#pragma D option quiet
#pragma D option nspec=2

BEGIN
{
	one = speculation();
	other = speculation();
}

BEGIN
{
	speculate(one);
	printf("one\n");
}

BEGIN
{
	speculate(other);
	printf("other\n");
}

BEGIN
{
	commit(one);
	commit(other);
	discard(one);
}

BEGIN
{
	exit(0);
}
