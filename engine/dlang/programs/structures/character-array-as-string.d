#pragma D option quiet

struct s { char name[8]; };
struct s v;

BEGIN
{
	v.name[0] = 'o';
	v.name[1] = 'k';
	printf("%s %s\n", v.name, stringof(v.name));
	exit(0);
}
