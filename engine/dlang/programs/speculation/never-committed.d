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
	printf("done\n");
	exit(0);
}
