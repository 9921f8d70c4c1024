#pragma D option quiet
#pragma D option zdefs

provider app {
	probe start(char c);
};

/* Only a probe that is named is known before it is there. */
app:::st*
{
	trace(sizeof (args[0]));
}

BEGIN
{
	exit(0);
}
