#pragma D option quiet

inline int square[int k] = k * k;
inline string name[int code] = code == 1 ? "one" : code == 2 ? "two" : "many";
inline int total[int a, int b] = a + square[b];

BEGIN
{
	printf("%d %d\n", square[7], square[square[2]]);
	printf("%s %s %s\n", name[1], name[2], name[3]);
	printf("%d\n", total[1, 3]);
	exit(0);
}
