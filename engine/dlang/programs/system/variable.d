BEGIN
{
	x = "echo";
	system(x);
}
