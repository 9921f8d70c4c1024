#pragma D option quiet

int n;

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	n = 5;
	printf("never\n");
}

BEGIN
{
	discard(self->s);
}

BEGIN
{
	printf("%d\n", n);
	exit(0);
}
