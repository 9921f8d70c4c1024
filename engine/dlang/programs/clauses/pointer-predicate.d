#pragma D option quiet

BEGIN
{
	self->there = (char *)"there";
	self->nowhere = (char *)NULL;
}

BEGIN
/self->nowhere/
{
	printf("nowhere\n");
}

BEGIN
/self->there/
{
	printf("there\n");
}

BEGIN
{
	exit(0);
}
