#pragma D option quiet

BEGIN
{
	self->n = 5;
	self->n = 0;
	printf("%d\n", self->n);
	exit(0);
}
