BEGIN,
END
{
	trace(probename);
}

BEGIN
{
	exit(0);
}
