#pragma D option quiet

BEGIN
{
	a = 10;
	a += 5;
	a -= 3;
	a *= 2;
	a /= 5;
	a %= 3;
	printf("%d\n", a);
	exit(0);
}
