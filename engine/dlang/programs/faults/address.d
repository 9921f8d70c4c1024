#pragma D option quiet

BEGIN
{
	trace(*(int *)0);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
