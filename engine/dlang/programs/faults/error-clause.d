#pragma D option quiet

BEGIN
{
	x = 0;
	trace(1 / x);
}

ERROR
{
	printf("error: action %d, fault %d, %x\n", arg2, arg4, arg5);
	exit(1);
}
