#pragma D option quiet

BEGIN
{
	printf("sizeof (char) = %d\n", sizeof (char));
	printf("sizeof (short) = %d\n", sizeof (short));
	printf("sizeof (int) = %d\n", sizeof (int));
	printf("sizeof (long long) = %d\n", sizeof (long long));
	printf("sizeof (int8_t) = %d\n", sizeof (int8_t));
	printf("sizeof (uint16_t) = %d\n", sizeof (uint16_t));
	printf("sizeof (int32_t) = %d\n", sizeof (int32_t));
	printf("sizeof (uint64_t) = %d\n", sizeof (uint64_t));
	exit(0);
}
