#pragma D option quiet

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("never\n");
}

BEGIN
{
	discard(self->s);
}

BEGIN
{
	printf("end\n");
	exit(0);
}
