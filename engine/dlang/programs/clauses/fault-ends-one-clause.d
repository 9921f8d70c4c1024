#pragma D option quiet

BEGIN
{
	printf("%d\n", *(int *)8);
	printf("never\n");
}

ERROR
{
	printf("fault %d\n", arg4);
}

BEGIN
{
	printf("next\n");
}

END
{
	printf("end\n");
}

tick-10ms
{
	exit(0);
}
