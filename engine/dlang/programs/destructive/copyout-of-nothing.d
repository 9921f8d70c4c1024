#pragma D option quiet
#pragma D option destructive

/* What is to be copied is not there. */
BEGIN
{
	copyout((void *)4, 0, 1);
}

BEGIN
{
	copyoutstr(NULL, 0, 1);
}

BEGIN
{
	exit(0);
}
