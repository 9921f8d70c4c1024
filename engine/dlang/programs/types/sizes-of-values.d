#pragma D option quiet

BEGIN
{
	x = 1ll;
	printf("sizeof 1 = %d\n", sizeof 1);
	printf("sizeof 1ll = %d\n", sizeof 1ll);
	printf("sizeof 'a' = %d\n", sizeof 'a');
	printf("sizeof \"abc\" = %d\n", sizeof "abc");
	printf("sizeof arg0 = %d\n", sizeof arg0);
	printf("sizeof timestamp = %d\n", sizeof timestamp);
	printf("sizeof (1 == 1) = %d\n", sizeof (1 == 1));
	printf("sizeof x = %d\n", sizeof x);
	exit(0);
}
