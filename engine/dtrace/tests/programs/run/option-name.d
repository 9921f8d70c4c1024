/* An option that there is not. */
#pragma D option quiet
#pragma D option nonsense
BEGIN
{
	exit(0);
}
