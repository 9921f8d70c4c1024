#pragma D option quiet

typedef struct out { pid_t mine; } out_t;
translator out_t < int i > {
	mine = pid;
};

BEGIN
{
	printf("%d\n", xlate <out_t> (0).mine == pid);
	exit(0);
}
