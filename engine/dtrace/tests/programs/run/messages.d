/* Messages without the option quiet. */
BEGIN,
dtrace:::END
{
	exit(0);
}
