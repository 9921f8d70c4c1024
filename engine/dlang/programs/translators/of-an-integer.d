#pragma D option quiet

typedef struct out { int twice; string text; } out_t;
translator out_t < int n > {
	twice = n * 2;
	text = lltostr(n);
};

BEGIN
{
	printf("%d %s\n", xlate <out_t> (21).twice, xlate <out_t *> (7)->text);
	exit(0);
}
