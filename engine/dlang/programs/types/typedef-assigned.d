typedef int number;

BEGIN
{
	number = 3;
}
