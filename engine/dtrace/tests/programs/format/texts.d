/* Strings and characters. */
#pragma D option quiet
BEGIN
{
	printf("[%s] [%8s] [%-8s] [%.2s] [%8.2s] [%.0s]\n", "abc", "abc", "abc", "abc", "abc", "abc");
	printf("[%c] [%3c] [%-3c] [%C] [%C]\n", 'a', 'b', 'c', 'd', '\n');
	printf("[%S] [%S]\n", "a\tb\\c\"d\n", "plain");
	printf("%%d 100%%\n");
	printf("no conversion\n");
	exit(0);
}
