#pragma D option quiet

struct triple { int a; int b; int c; };

BEGIN
{
	this->p = (struct triple *)alloca(4 * sizeof (struct triple));
	this->q = this->p + 2;
	this->q->b = 8;
	printf("%d %d %d\n", this->p[2].b, this->q - this->p, (long)this->q - (long)this->p);
	this->p[3] = this->p[2];
	printf("%d %d\n", (this->q + 1)->b, &this->q->b == &this->p[2].b);
	printf("%d\n", (long)&((struct triple *)0)->c);
	exit(0);
}
