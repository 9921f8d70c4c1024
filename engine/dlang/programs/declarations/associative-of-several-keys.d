#pragma D option quiet

int v[int, string, char];

BEGIN
{
	v[1, "a", 'x'] = 5;
	printf("%d %d\n", v[1, "a", 'x'], v[1, "a", 'y']);
	exit(0);
}
