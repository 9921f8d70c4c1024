/* An option with an invalid value. */
#pragma D option quiet
#pragma D option bufsize=many
BEGIN
{
	exit(0);
}
