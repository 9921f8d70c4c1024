#pragma D option quiet

typedef struct { char c; int i; } pair_t;

BEGIN
{
	printf("%d\n", offsetof(pair_t, i));
	exit(0);
}
