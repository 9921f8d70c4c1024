#pragma D option quiet

inline int later = self->value + 1;

BEGIN
{
	self->value = 3;
	printf("%d\n", later);
	exit(0);
}
