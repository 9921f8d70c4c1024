#pragma D option quiet

struct f { unsigned int a : 4; unsigned int b : 4; };

BEGIN
{
	this->f = (struct f *)alloca(sizeof (struct f));
	this->f->b = 9;
	this->f->a = 1;
	printf("%d %d %x\n", this->f->a, this->f->b, *(unsigned char *)this->f);
	exit(0);
}
