#pragma D option amin=Evolving/Evolving/Common
dtrace:::BEGIN
/curthread != NULL/
{
}
