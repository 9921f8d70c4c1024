/* An option with a value that it cannot have. */
#pragma D option quiet
#pragma D option bufsize=many
BEGIN
{
	exit(0);
}
