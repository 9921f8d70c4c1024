/* ERROR's arguments describe the fault. */
#pragma D option quiet
BEGIN
{
	trace(*(long long *)16);
}

ERROR
{
	printf("action %d, fault %d, address %x\n", arg2, arg4, arg5);
	exit(1);
}
