#pragma D option quiet

BEGIN
{
	printf("strstr(\"hello\", \"ll\") = %s\n", strstr("hello", "ll"));
	printf("strstr(\"hello\", \"\") = %s\n", strstr("hello", ""));
	printf("strstr(\"hello\", \"x\") == NULL = %d\n", strstr("hello", "x") == NULL);
	exit(0);
}
