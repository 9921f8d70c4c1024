#pragma D option quiet
#pragma D option amin=unstable/UNSTABLE/common

BEGIN
{
	printf("done\n");
	exit(0);
}
