/* With flowindent, what is no entry and no return stands behind a bar. */
#pragma D option flowindent
BEGIN
{
	trace(1);
	exit(0);
}

END
{
	printf("%s", probename);
}
