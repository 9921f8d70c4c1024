#pragma D option quiet

dtrace:::B*N
{
	printf("%s\n", probename);
	exit(0);
}

:::[D-F]?D
{
	printf("%s\n", probename);
}
