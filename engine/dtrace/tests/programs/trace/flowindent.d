/* With flowindent, a probe that is neither entry nor return follows a bar. */
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
