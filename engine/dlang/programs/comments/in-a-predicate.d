#pragma D option quiet

BEGIN
/1 == 1 // it is
  && 2 == 2/
{
	printf("first\n");
}

BEGIN
/0/// it is not
{
	printf("not reached\n");
}

BEGIN
/1//* it is */
{
	printf("third\n");
	exit(0);
}
