BEGIN
/0/
{
	panic();
}

BEGIN
{
	exit(0);
}
