#pragma D option quiet

BEGIN
{
	self->a[1] = 5;
	self->a[2] = 6;
	printf("%d %d\n", self->a[1], self->a[2]);
	exit(0);
}
