#pragma D option quiet

#pragma D option defaultargs

BEGIN
{
	printf("%d [%s]\n", $1, $$2);
	exit(0);
}
