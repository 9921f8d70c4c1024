#pragma D option quiet

inline int length[string s] = strlen(s);

BEGIN
{
	printf("%d %d\n", length["abc"], length[strjoin("ab", "cdef")]);
	exit(0);
}
