#pragma D option quiet

BEGIN
{
	printf("[%-6d] [%-6s] [%-6x]\n", 42, "ab", 255);
	exit(0);
}
