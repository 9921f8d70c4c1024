#pragma D option quiet

BEGIN
{
	printf("%s\n", json("[{\"n\": \"one\"}, {\"n\": \"two\"}]", "[1].n"));
	exit(0);
}
