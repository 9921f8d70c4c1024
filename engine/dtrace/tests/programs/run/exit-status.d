/* What exit() is given is the command's status; END comes after it. */
#pragma D option quiet
BEGIN
{
	exit(7);
}

END
{
	trace("end\n");
}
