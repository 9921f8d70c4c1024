/* A ring retains the newest records. */
#pragma D option quiet
#pragma D option bufpolicy=ring
#pragma D option bufsize=256
int n;
BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN
{
	printf("%d\n", n++);
}

BEGIN
{
	exit(0);
}
