#pragma D option quiet

struct point { int x; int y; };

BEGIN
{
	this->p = (struct point *)alloca(2 * sizeof (struct point));
	this->p[0].x = 1;
	this->p[1].y = 2;
	printf("%d %d %d\n", this->p->x, this->p[1].y, this->p[1].x);
	exit(0);
}
