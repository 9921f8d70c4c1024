#pragma D option quiet

BEGIN
{
	printf("%s\n", cleanpath("/usr/lib/../share/./man//"));
	printf("%s\n", cleanpath("/../.."));
	printf("%s\n", cleanpath("usr/./lib/.."));
	printf("%s\n", cleanpath("usr/.."));
	printf("%s\n", cleanpath("../../usr/"));
	printf("[%s]\n", cleanpath(""));
	exit(0);
}
