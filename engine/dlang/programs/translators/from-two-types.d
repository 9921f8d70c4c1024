#pragma D option quiet

typedef struct out { int a; } out_t;
translator out_t < int i > {
	a = i;
};
translator out_t < string s > {
	a = strlen(s);
};

BEGIN
{
	printf("%d %d\n", xlate <out_t> (3).a, xlate <out_t> ("four").a);
	exit(0);
}
