#pragma D option quiet

BEGIN
{
	printf("\"abc\" = %s\n", "abc");
	printf("\"a\\tb\" = %s\n", "a\tb");
	printf("\"\\101\\x42C\" = %s\n", "\101\x42C");
	printf("\"\" = %s\n", "");
	exit(0);
}
