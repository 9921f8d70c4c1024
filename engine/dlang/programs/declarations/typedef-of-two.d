#pragma D option quiet

typedef int one, *other;
one v;

BEGIN
{
	v = 3;
	this->p = (other)alloca(4);
	*this->p = v;
	printf("%d\n", *this->p);
	exit(0);
}
