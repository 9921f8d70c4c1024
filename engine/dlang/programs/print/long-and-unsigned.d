#pragma D option quiet

BEGIN
{
	print(5ll);
	print(5u);
	print(-5);
	exit(0);
}
