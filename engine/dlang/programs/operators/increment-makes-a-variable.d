#pragma D option quiet

BEGIN
{
	n++;
	n++;
	printf("%d\n", n);
	self->n--;
	printf("%d\n", self->n);
	exit(0);
}
