#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(4);
	printf("%d %d %d\n", this->p == NULL, this->p != NULL, NULL == (char *)0);
	exit(0);
}
