#pragma D option quiet
#pragma D option zdefs

provider app {
	probe start(string name, int length);
};

app:::start
/args[1] > 2/
{
	trace(args[0]);
}

BEGIN
{
	exit(0);
}
