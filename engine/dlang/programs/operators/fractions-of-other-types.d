float f;
double d;

BEGIN
{
	f = d;
}
