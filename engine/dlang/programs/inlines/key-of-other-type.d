#pragma D option quiet

inline int length[string s] = strlen(s);

BEGIN
{
	trace(length[5]);
	exit(0);
}
