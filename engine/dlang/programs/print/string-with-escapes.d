#pragma D option quiet

BEGIN
{
	print("tab\there");
	exit(0);
}
