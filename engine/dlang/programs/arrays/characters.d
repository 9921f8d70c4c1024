#pragma D option quiet

char a[4];

BEGIN
{
	a[0] = 'o';
	a[1] = 'k';
	printf("%s|\n", a);
	exit(0);
}
