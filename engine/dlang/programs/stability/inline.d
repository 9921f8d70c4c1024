#pragma D option amin=Evolving/Evolving/Common
inline uint64_t thread = (uint64_t)curthread;
dtrace:::BEGIN
{
	trace(thread);
}
