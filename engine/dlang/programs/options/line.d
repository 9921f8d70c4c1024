#pragma D option quiet
#line 50 "other.d"
BEGIN
{
	printf("fine\n");
	exit(0);
}
