#pragma D option quiet

int n;
inline int next = ++n;

BEGIN
{
	this->x = 0 ? next : 7;
	printf("%d %d\n", this->x, n);
	exit(0);
}
