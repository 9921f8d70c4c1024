#pragma D option quiet

self int v[string];

BEGIN
{
	self->v["a"] = 2;
	self->v["a"] += 3;
	printf("%d %d\n", self->v["a"], self->v["b"]);
	exit(0);
}
