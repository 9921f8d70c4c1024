/* An unknown option. */
#pragma D option quiet
#pragma D option nonsense
BEGIN
{
	exit(0);
}
