#pragma D option quiet

BEGIN
{
	printf("'a' = %d\n", 'a');
	printf("'\\n' = %d\n", '\n');
	printf("'\\t' = %d\n", '\t');
	printf("'\\0' = %d\n", '\0');
	printf("'\\\\' = %d\n", '\\');
	printf("'\\'' = %d\n", '\'');
	printf("'\\x41' = %d\n", '\x41');
	printf("'\\101' = %d\n", '\101');
	printf("'ab' = %d\n", 'ab');
	printf("'\\a' = %d\n", '\a');
	printf("'\\b' = %d\n", '\b');
	printf("'\\f' = %d\n", '\f');
	printf("'\\r' = %d\n", '\r');
	printf("'\\v' = %d\n", '\v');
	printf("'\\\"' = %d\n", '\"');
	printf("'\\?' = %d\n", '\?');
	exit(0);
}
