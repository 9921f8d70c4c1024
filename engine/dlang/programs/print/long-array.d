#pragma D option quiet

int a[70];
char zeros[4];

BEGIN
{
	a[63] = 5;
	print(a);
	print(zeros);
	exit(0);
}
