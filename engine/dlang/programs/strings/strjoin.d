#pragma D option quiet

BEGIN
{
	printf("strjoin(\"foo\", \"bar\") = %s\n", strjoin("foo", "bar"));
	printf("strjoin(\"\", \"x\") = %s\n", strjoin("", "x"));
	printf("strjoin(strjoin(\"a\", \"b\"), \"c\") = %s\n", strjoin(strjoin("a", "b"), "c"));
	exit(0);
}
