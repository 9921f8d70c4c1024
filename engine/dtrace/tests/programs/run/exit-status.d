/* The argument of exit() is the command's exit status; END still fires. */
#pragma D option quiet
BEGIN
{
	exit(7);
}

END
{
	trace("end\n");
}
