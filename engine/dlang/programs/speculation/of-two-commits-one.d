#pragma D option quiet
#pragma D option nspec=2

BEGIN
{
	self->a = speculation();
	self->b = speculation();
}

BEGIN
{
	speculate(self->a);
	printf("first\n");
}

BEGIN
{
	speculate(self->b);
	printf("second\n");
}

BEGIN
{
	commit(self->b);
}

BEGIN
{
	discard(self->a);
}

BEGIN
{
	exit(0);
}
