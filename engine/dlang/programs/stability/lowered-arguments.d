#pragma D option amin=Evolving/Evolving/Common
#pragma D attributes Private/Private/ISA provider profile args
profile:::tick-1ms
{
	x = arg0;
	y = args[0];
}
