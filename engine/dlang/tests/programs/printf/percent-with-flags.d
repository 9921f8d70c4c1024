BEGIN
{
	printf("%-%");
}
