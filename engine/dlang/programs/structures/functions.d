#pragma D option quiet

struct operations { int (*open)(int, char *); void (*close)(void); int n; };

BEGIN
{
	this->o = (struct operations *)alloca(sizeof (struct operations));
	this->o->n = 4;
	printf("%d %d\n", this->o->n, this->o->open == NULL);
	printf("%d\n", sizeof (struct operations) / sizeof (void *));
	exit(0);
}
