#pragma D option quiet

BEGIN
{
	p = alloca(4);
	copyinto(0, 4, p);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
