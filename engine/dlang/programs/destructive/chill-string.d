BEGIN
{
	chill("long");
}
