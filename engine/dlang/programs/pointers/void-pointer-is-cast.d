#pragma D option quiet

BEGIN
{
	this->v = alloca(4);
	*(int *)this->v = 6;
	printf("%d\n", *(int *)this->v);
	exit(0);
}
