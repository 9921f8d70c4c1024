#pragma D option amin=Evolving/Evolving/Common
dtrace:::BEGIN
{
	x = 1;
	trace((uint64_t)curthread);
}
