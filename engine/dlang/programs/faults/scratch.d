#pragma D option quiet
#pragma D option scratchsize=1k

size_t n;

BEGIN
{
	x = alloca(1024);
	y = alloca(1);
}

BEGIN
{
	n = 1025;
	x = alloca(n);
}

BEGIN
{
	n = 0x7fffffff;
	x = copyin(0, n);
}

BEGIN
{
	p = alloca(16);
	bcopy("a string of seventeen", p, 17);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
