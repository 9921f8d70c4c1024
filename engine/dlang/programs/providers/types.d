#pragma D option quiet

provider profile {
	probe tick__1ms(unsigned char, short user);
};

profile:::tick-1ms
{
	printf("%d %d %d %d\n", (int)sizeof (args[0]), (int)sizeof (args[1]),
	    args[0] == (arg0 & 0xff), args[1] == (short)arg1);
	exit(0);
}
