#pragma D option scratchsize=1024
BEGIN
{
	p = alloca(1025);
}
