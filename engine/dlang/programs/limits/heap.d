#pragma D option scratchsize=1m
BEGIN
{
	@[uaddr(0)] = count();
	p = alloca(1);
}
