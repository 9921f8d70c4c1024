#pragma D option quiet

struct padded { char c; long long l; short s; };

BEGIN
{
	printf("%d %d %d %d\n", sizeof (struct padded), offsetof(struct padded, c),
	    offsetof(struct padded, l), offsetof(struct padded, s));
	exit(0);
}
