/* Strings are dumped as bytes. */
#pragma D option quiet
#pragma D option rawbytes
#pragma D option strsize=24
BEGIN
{
	trace("sixteen letters and one");
	exit(0);
}
