/* A record has room for 8192 frames. */
BEGIN
{
	stack(8193);
}
