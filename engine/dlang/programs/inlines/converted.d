#pragma D option quiet

long long big;
inline char low = big;
inline char cut[char c] = c;

BEGIN
{
	big = 0x1ff;
	printf("%d %d %d\n", low, sizeof (low), cut[0x1fe]);
	exit(0);
}
