/* A description must match a probe. */
BEGIN,
dtrace:::NOSUCH
{
	exit(0);
}
