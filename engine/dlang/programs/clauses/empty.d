#pragma D option quiet

BEGIN
{
}

BEGIN
{
	;;
}

BEGIN
{
	printf("done\n");
	exit(0);
}
