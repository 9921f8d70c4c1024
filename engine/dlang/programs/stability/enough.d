#pragma D option quiet
#pragma D option amin=Evolving/Evolving/Common

dtrace:::BEGIN
/pid != 0/
{
	x = strlen("abc") + htons(0);
	printf("%d\n", x);
	exit(0);
}
