#pragma D option quiet

inline char second[string s] = s[1];
inline int first[int *p] = p[0];

BEGIN
{
	this->p = (int *)alloca(4);
	this->p[0] = 7;
	printf("%c %d\n", second["hello"], first[this->p]);
	exit(0);
}
