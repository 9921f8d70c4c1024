#pragma D option quiet

BEGIN
{
	printf("%s\n", json("  {  \"a\"  :  7  }  ", "a"));
	exit(0);
}
