#pragma D option quiet

typedef int number;
typedef struct pair { int number; } pair_t;
pair_t pair;

/* Where no type can be, a type's name is a name. */
BEGIN
{
	self->number = 1;
	this->number = (number)2;
	pair.number = 3;
	@number = sum(self->number + this->number + pair.number);
	printa("%@d\n", @number);
	exit(0);
}
