#pragma D option quiet

int a[3];
int b[2][2];
this int c[2];

BEGIN
{
	a[0] = 1;
	a[0] += (a[1] = 3);
	printf("%d %d\n", a[0], a[1]);
	a[0] = (a[2] = 5) + a[1];
	printf("%d %d %d\n", a[0], a[1], a[2]);
	a[(a[0] = 1)] = 7;
	printf("%d %d %d\n", a[0], a[1], a[2]);
	b[1][0] += (b[0][1] = 2) + b[1][1]++;
	b[(b[0][0] = 1)][1] += (b[0][1] -= 1);
	printf("%d %d %d %d\n", b[0][0], b[0][1], b[1][0], b[1][1]);
	this->c[0]++;
	this->c[1] += this->c[0]++;
	printf("%d %d\n", this->c[0], this->c[1]);
	x = 1;
	x += (x = 3);
	printf("%d\n", x);
	exit(0);
}
