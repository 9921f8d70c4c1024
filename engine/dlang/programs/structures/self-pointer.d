#pragma D option quiet

struct node { struct node *next; int value; };

BEGIN
{
	this->a = (struct node *)alloca(sizeof (struct node));
	this->a->value = 5;
	this->a->next = NULL;
	printf("%d %d\n", this->a->value, this->a->next == NULL);
	exit(0);
}
