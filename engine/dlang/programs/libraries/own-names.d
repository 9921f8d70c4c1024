#pragma D option quiet

/* A program's own names are its own: psinfo_t, curlwpsinfo and curcpu are DTrace's otherwise. */
typedef struct { int n; } psinfo_t;
psinfo_t curpsinfo;
int fds[int];

BEGIN
{
	curpsinfo.n = 3;
	fds[1] = 4;
	curcpu = "no CPU";
	printf("%d %d %s curlwpsinfo\n", curpsinfo.n, fds[1], curcpu);
	exit(0);
}
