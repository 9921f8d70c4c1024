/* Committed speculations are recorded, discarded ones are not. */
#pragma D option quiet
#pragma D option nspec=2
BEGIN
{
	one = speculation();
	other = speculation();
	none = speculation();
	printf("%d\n", none);
}

BEGIN
{
	speculate(one);
	printf("committed\n");
}

BEGIN
{
	speculate(other);
	printf("discarded\n");
}

BEGIN
{
	commit(one);
	discard(other);
}

BEGIN
{
	exit(0);
}
