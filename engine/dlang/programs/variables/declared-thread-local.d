#pragma D option quiet

self char n;
self string s;

BEGIN
{
	self->n = 300;
	self->s = "mine";
	printf("%d %s\n", self->n, self->s);
	exit(0);
}
