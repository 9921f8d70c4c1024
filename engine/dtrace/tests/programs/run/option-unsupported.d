/* An unsupported option. */
#pragma D option quiet
#pragma D option grabanon
BEGIN
{
	exit(0);
}
