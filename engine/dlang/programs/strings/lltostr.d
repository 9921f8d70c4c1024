#pragma D option quiet

BEGIN
{
	printf("lltostr(0) = %s\n", lltostr(0));
	printf("lltostr(-123) = %s\n", lltostr(-123));
	printf("lltostr(255, 16) = %s\n", lltostr(255, 16));
	printf("lltostr(8, 8) = %s\n", lltostr(8, 8));
	printf("lltostr(5, 2) = %s\n", lltostr(5, 2));
	printf("lltostr(9223372036854775807) = %s\n", lltostr(9223372036854775807));
	exit(0);
}
