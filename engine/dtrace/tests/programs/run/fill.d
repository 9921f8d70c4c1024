/* A full buffer ends tracing with the policy fill. */
#pragma D option quiet
#pragma D option bufpolicy=fill
#pragma D option bufsize=256
#pragma D option statusrate=10ms
tick-1ms
{
	printf("%d\n", n++);
}
