#pragma D option quiet

BEGIN
{
	a[1ll] = 5;
	i = 1;
	printf("%d\n", a[i]);
	exit(0);
}
