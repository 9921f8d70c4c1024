#pragma D option quiet

BEGIN
{
	trace(copyinstr(0));
}

BEGIN
{
	printf("next\n");
	exit(0);
}
