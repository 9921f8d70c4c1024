#pragma D option quiet

typedef struct out { int length; char first; } out_t;
translator out_t < string s > {
	length = strlen(s);
	first = s[0];
};

BEGIN
{
	printf("%d %c\n", xlate <out_t> ("hello").length, xlate <out_t> ("hello").first);
	exit(0);
}
