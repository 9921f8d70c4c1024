#pragma D option quiet

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("one\n");
	printf("two\n");
}

BEGIN
{
	speculate(self->s);
	printf("three\n");
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	exit(0);
}
