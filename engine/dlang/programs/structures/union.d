#pragma D option quiet

union both { unsigned int word; unsigned char bytes[4]; };
union both b;

BEGIN
{
	b.word = 0x01020304;
	printf("%d %d %d\n", b.bytes[0], b.bytes[3], sizeof (b));
	b.bytes[1] = 0xff;
	printf("%x\n", b.word);
	exit(0);
}
