#pragma D option quiet

struct node { int value; struct node *next; };

BEGIN
{
	this->one = (struct node *)alloca(sizeof (struct node));
	this->two = (struct node *)alloca(sizeof (struct node));
	this->one->value = 1;
	this->one->next = this->two;
	this->two->value = 2;
	this->two->next = NULL;
	this->one->next->value *= 21;
	printf("%d %d\n", this->one->value, this->two->value);
	*this->one = *this->two;
	printf("%d %d\n", this->one->value, this->one->next == NULL);
	exit(0);
}
