#pragma D option quiet

BEGIN
{
	printf("substr(\"hello\", 1) = %s\n", substr("hello", 1));
	printf("substr(\"hello\", 1, 3) = %s\n", substr("hello", 1, 3));
	printf("substr(\"hello\", -2) = %s\n", substr("hello", -2));
	printf("substr(\"hello\", 5) = %s\n", substr("hello", 5));
	printf("substr(\"hello\", 0, 0) = %s\n", substr("hello", 0, 0));
	printf("substr(\"hello\", 2, 99) = %s\n", substr("hello", 2, 99));
	printf("substr(\"hello\", -4, 2) = %s\n", substr("hello", -4, 2));
	exit(0);
}
