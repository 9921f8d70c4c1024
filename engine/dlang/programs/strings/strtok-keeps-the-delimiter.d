#pragma D option quiet

BEGIN
{
	printf("%s ", strtok("key=value;more", "="));
	printf("%s\n", strtok(NULL, ";"));
	exit(0);
}
