#pragma D option quiet

union both { int whole; char parts[4]; };
translator union both < int i > {
	whole = i + 1;
};

BEGIN
{
	printf("%d\n", xlate <union both> (4).whole);
	exit(0);
}
