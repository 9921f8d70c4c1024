#pragma D option quiet

BEGIN
/root = 1/
{
	cwd = "here";
	printf("%s %d\n", cwd, root);
	exit(0);
}
