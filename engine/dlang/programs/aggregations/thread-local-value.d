#pragma D option quiet

BEGIN
{
	self->v = 7;
	@[self->v] = sum(self->v);
	printa("%d %@d\n", @);
	exit(0);
}
