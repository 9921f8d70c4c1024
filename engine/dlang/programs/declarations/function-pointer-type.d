#pragma D option quiet

typedef int (*callback)(int, char *);
struct ops { callback call; void (*end)(void); };
struct ops o;

BEGIN
{
	printf("%d %d\n", o.call == NULL, sizeof (o) == 2 * sizeof (void *));
	exit(0);
}
