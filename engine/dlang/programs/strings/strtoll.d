#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", strtoll("42"), strtoll("  -42 is it"), strtoll("none"));
	printf("%d %d %d\n", strtoll("ff", 16), strtoll("0xff", 16), strtoll("0xff"));
	printf("%d %d\n", strtoll("777", 8), strtoll("-zz", 36));
	printf("%d\n", strtoll("-9223372036854775808"));
	exit(0);
}
