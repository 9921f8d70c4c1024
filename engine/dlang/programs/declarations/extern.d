#pragma D option quiet

extern int z;
int f(int);
extern int g(void);

BEGIN
{
	z = 3;
	printf("%d\n", z);
	exit(0);
}
