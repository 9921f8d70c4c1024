BEGIN
{
	trace(1);
}

BEGIN
{
	setopt("quiet");
	setopt("stackindent", "2");
}

BEGIN
{
	printf("nothing but this\n");
	setopt("quiet", "no");
}

BEGIN
{
	trace(2);
	exit(0);
}
