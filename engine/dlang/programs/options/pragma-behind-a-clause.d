BEGIN
{
	printf("%d\n", sizeof (string));
	exit(0);
}

#pragma D option quiet
#pragma D option strsize=8
