#pragma D option quiet
#pragma D option zdefs
#pragma D option amin=Evolving/Evolving/ISA
#pragma D attributes Evolving/Evolving/ISA provider app provider
#pragma D attributes Evolving/Evolving/ISA provider app name
#pragma D attributes Evolving/Evolving/ISA provider app args

provider app {
	probe start(int n);
};

app:::start
{
	trace(args[0]);
}

dtrace:::BEGIN
{
	exit(0);
}
