#pragma D option quiet

BEGIN
{
	printf("%s|", strtok("a/b/c", "/"));
}

BEGIN
{
	printf("%s|", strtok(NULL, "/"));
}

BEGIN
{
	printf("%s|", strtok(NULL, "/"));
	printf("%d\n", strtok(NULL, "/") == NULL);
	exit(0);
}

END
{
	strtok(NULL, "/");
	printf("not here\n");
}
