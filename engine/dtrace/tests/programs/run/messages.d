/* What is said of a program that is not quiet. */
BEGIN,
dtrace:::END
{
	exit(0);
}
