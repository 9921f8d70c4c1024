#pragma D option quiet
#pragma D option scratchsize=100k

BEGIN
{
	this->large = (char *)alloca(100 * 1024);
	printf("%d\n", this->large[100 * 1024 - 1]);
	exit(0);
}
