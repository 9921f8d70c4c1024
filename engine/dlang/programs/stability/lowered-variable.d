#pragma D option amin=Evolving/Evolving/Common
#pragma D attributes Evolving/Private/Common x
dtrace:::BEGIN
{
	x = 1;
}
