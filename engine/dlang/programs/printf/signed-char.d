signed char c;

BEGIN
{
	printf("%s", c);
}
