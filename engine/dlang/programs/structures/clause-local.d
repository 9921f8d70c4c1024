#pragma D option quiet

struct pair { int a; int b; };
this struct pair p;

BEGIN
{
	this->p.a = 5;
	this->p.b = ++this->p.a;
}

BEGIN
{
	printf("%d %d\n", this->p.a, this->p.b);
	exit(0);
}
