#pragma D option quiet

typedef struct in { int x; } in_t;
typedef struct out { int y; } out_t;
translator in_t < int i > {
	x = i + 1;
};
translator out_t < int i > {
	y = xlate <in_t> (i).x * 10;
};

BEGIN
{
	printf("%d\n", xlate <out_t> (3).y);
	exit(0);
}
