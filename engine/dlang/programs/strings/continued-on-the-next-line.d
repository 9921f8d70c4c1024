#pragma D option quiet

BEGIN
{
	printf("%s\n", "one \
	two");
	exit(0);
}
