#pragma D option quiet

BEGIN
{
	printf("\"abc\" = %s\n", "abc");
	printf("\"a\\tb\" = %s\n", "a\tb");
	printf("\"\\101\\x42\\103\" = %s\n", "\101\x42\103");
	printf("\"\" = %s\n", "");
	exit(0);
}
