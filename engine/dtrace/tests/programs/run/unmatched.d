/* A description has to match a probe. */
BEGIN,
dtrace:::NOSUCH
{
	exit(0);
}
