#pragma D option quiet

int *p[string];

BEGIN
{
	this->n = (int *)alloca(4);
	*this->n = 3;
	p["x"] = this->n;
	printf("%d %d\n", *p["x"], p["y"] == NULL);
	exit(0);
}
