#pragma D option quiet

BEGIN
{
	commit(0);
}

BEGIN
{
	discard(0);
}

BEGIN
{
	printf("end\n");
	exit(0);
}
