#pragma D option quiet

BEGIN
{
	printf("[%s]\n", json("{\"s\": \"\"}", "s"));
	exit(0);
}
