#pragma D option quiet

BEGIN
{
	trace(*(int *)copyin(0, 4));
}

BEGIN
{
	printf("next\n");
	exit(0);
}
