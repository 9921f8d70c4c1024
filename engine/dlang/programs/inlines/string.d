#pragma D option quiet

inline string greeting = strjoin("hello, ", probename);

BEGIN
{
	printf("%s %d\n", greeting, strlen(greeting));
	exit(0);
}
