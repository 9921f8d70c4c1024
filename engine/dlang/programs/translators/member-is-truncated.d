#pragma D option quiet

typedef struct out { char c; } out_t;
translator out_t < int i > {
	c = i;
};

BEGIN
{
	printf("%d\n", xlate <out_t> (300).c);
	exit(0);
}
