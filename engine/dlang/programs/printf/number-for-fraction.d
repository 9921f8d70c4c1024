BEGIN
{
	printf("%f", 1);
}
