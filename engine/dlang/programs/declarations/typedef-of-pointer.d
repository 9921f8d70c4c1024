#pragma D option quiet

typedef int *pointer;

BEGIN
{
	this->p = (pointer)alloca(sizeof (int));
	*this->p = 6;
	printf("%d\n", *this->p);
	exit(0);
}
