#pragma D option quiet

BEGIN
{
	self->s = "x";
	printf("%d\n", self->s == NULL);
	self->s = 0;
	printf("%d\n", self->s == NULL);
	exit(0);
}
