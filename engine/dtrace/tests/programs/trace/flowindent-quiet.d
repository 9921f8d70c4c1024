/* Flow is shown even in quiet, without the ends of lines. */
#pragma D option flowindent
#pragma D option quiet
BEGIN
{
	printf("one\n");
	exit(0);
}
