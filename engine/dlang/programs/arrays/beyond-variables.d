#pragma D option quiet

int before[2], v[3], behind[2];

BEGIN
{
	p = (int *)v;
	p[3] = 1;
}

BEGIN
{
	trace(p[4]);
}

BEGIN
{
	bcopy("more than there is room for", v, 13);
}

BEGIN
{
	trace(*(int *)((char *)p + 1));
}

BEGIN
{
	printf("%d %d\n", before[1], behind[0]);
	exit(0);
}
