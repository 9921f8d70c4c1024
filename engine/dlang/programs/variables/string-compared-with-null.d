#pragma D option quiet

BEGIN
{
	self->s = "a";
	printf("%d ", self->s == NULL);
	self->s = NULL;
	printf("%d\n", self->s == NULL);
	exit(0);
}
