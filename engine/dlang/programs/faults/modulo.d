#pragma D option quiet

BEGIN
{
	x = 0;
	trace(1 % x);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
