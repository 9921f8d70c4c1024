#pragma D option quiet

BEGIN
{
	printf("%d %d\n", (int64_t)(uint32_t)-1 == 4294967295, (int64_t)(int32_t)-1);
	exit(0);
}
