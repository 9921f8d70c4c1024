#pragma D option quiet

inline int ME = pid;

BEGIN
{
	printf("%d\n", ME == pid);
	exit(0);
}
