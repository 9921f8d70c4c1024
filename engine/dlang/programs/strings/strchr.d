#pragma D option quiet

BEGIN
{
	printf("strchr(\"hello\", 'l') = %s\n", strchr("hello", 'l'));
	printf("strrchr(\"hello\", 'l') = %s\n", strrchr("hello", 'l'));
	printf("strchr(\"hello\", 'z') == NULL = %d\n", strchr("hello", 'z') == NULL);
	printf("strrchr(\"hello\", 'h') = %s\n", strrchr("hello", 'h'));
	exit(0);
}
