#pragma D option quiet

BEGIN
{
	p = (char *)alloca(8);
	trace(*(int *)(p + 1));
}

BEGIN
{
	printf("next\n");
	exit(0);
}
