#pragma D option quiet
#pragma D option amin=Stable/Stable/Common
#pragma D attributes Stable/Stable/Common provider profile provider
#pragma D attributes Stable/Stable/Common provider profile name
#pragma D attributes Stable/Stable/Common provider profile args

profile:::tick-1ms
{
	x = args[0];
	printf("done\n");
	exit(0);
}
