#pragma D option quiet
#pragma D option strsize=4

struct s { string t; };
struct s v;

BEGIN
{
	v.t = "abcdefgh";
	printf("%s\n", v.t);
	exit(0);
}
