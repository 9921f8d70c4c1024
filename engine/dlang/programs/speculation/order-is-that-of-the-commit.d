#pragma D option quiet

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("speculated\n");
}

BEGIN
{
	printf("before\n");
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	printf("after\n");
	exit(0);
}
