#pragma D option quiet

char name[6];

BEGIN
{
	name[0] = 'a';
	name[1] = 'b';
	printf("%s %d\n", stringof(name), sizeof (name));
	exit(0);
}
