#pragma D option quiet

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("lost\n");
}

BEGIN
{
	discard(self->s);
}

BEGIN
{
	printf("done\n");
	exit(0);
}
