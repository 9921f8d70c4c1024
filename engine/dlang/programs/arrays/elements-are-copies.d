#pragma D option quiet

int a[int][3];
string s[int][2];

BEGIN
{
	a[1][2] = 5;
	a[1][0] = a[1][2] + 1;
	a[1][1] += 4;
	printf("%d %d %d\n", a[1][0], a[1][1], a[1][2]);
	s[7][0] = "one";
	s[7][1] = "two";
	s[7][0] = "three";
	printf("%s %s\n", s[7][0], s[7][1]);
	p = (int *)a[1];
	printf("%d\n", p[2]);
}

BEGIN
{
	p = (int *)a[1];
	p[2] = 6;
	printf("not here\n");
}

BEGIN
{
	trace(p[2]);
	printf("nor here\n");
}

BEGIN
{
	exit(0);
}
