#pragma D option quiet

typedef struct info { int id; string name; } info_t;

translator info_t < int n > {
	id = n + 1;
	name = n == 2 ? "two" : "other";
};

inline info_t *current = xlate <info_t *> (2);
inline info_t *numbered[int n] = xlate <info_t *> (n);

BEGIN
{
	printf("%d %s %d %s\n", current->id, current->name, numbered[9]->id, numbered[9]->name);
	exit(0);
}
