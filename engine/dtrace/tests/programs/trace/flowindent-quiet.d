/* flowindent has effect even with quiet, but lines are not ended. */
#pragma D option flowindent
#pragma D option quiet
BEGIN
{
	printf("one\n");
	exit(0);
}
