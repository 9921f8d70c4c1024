/* A timer fires until the program exits. */
#pragma D option quiet
#pragma D option statusrate=10ms
tick-5ms
{
	n++;
}

tick-5ms
/n == 3/
{
	printf("three\n");
	exit(0);
}
