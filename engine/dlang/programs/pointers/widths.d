#pragma D option quiet

BEGIN
{
	p = (char *)alloca(8);
	*(short *)p = -2;
	printf("%d %d %d\n", p[0], p[1], *(unsigned short *)p);
	*(int *)p = 0x01020304;
	printf("%d %d\n", p[0], p[3]);
	*(long long *)p = -1;
	printf("%u %d\n", *(unsigned int *)p, *(unsigned char *)(p + 7));
	exit(0);
}
