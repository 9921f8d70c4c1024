#pragma D option quiet

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("kept\n");
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	exit(0);
}
