# 0 "own.d"
# 1 "<built-in>"
# 1 "<command-line>"
# 1 "own.d"
#pragma D option quiet
BEGIN
# 1 "/usr/include/x.h" 1 3 4
/1/
# 4 "own.d" 2
{
	printf("%d %s\n",
# 7 "own.d"
	    1, "one");
	exit(0);
}
