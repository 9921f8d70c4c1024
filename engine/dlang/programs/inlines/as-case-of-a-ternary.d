#pragma D option quiet

inline string sign[int n] = n < 0 ? "negative" : n == 0 ? "zero" : "positive";

BEGIN
{
	printf("%s %s %s\n", sign[-3], sign[0], sign[8]);
	exit(0);
}
