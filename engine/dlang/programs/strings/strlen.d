#pragma D option quiet

BEGIN
{
	printf("strlen(\"\") = %d\n", strlen(""));
	printf("strlen(\"hello\") = %d\n", strlen("hello"));
	printf("strlen(strjoin(\"ab\", \"cd\")) = %d\n", strlen(strjoin("ab", "cd")));
	exit(0);
}
