BEGIN
{
	pid ? printf("a") : printf("b");
}
