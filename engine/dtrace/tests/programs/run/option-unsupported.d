/* An option of which nothing would follow. */
#pragma D option quiet
#pragma D option grabanon
BEGIN
{
	exit(0);
}
