#pragma D option quiet

BEGIN
{
	p = (string *)alloca(256);
	*p = "kept";
	printf("%s\n", *p);
	exit(0);
}
