#pragma D option quiet

enum kind { NONE, SOME = 5 };
enum kind k;
char c;

BEGIN
{
	c = 'x';
	print(5);
	print((uint8_t)200);
	print(c);
	k = SOME;
	print(k);
	k = 7;
	print(k);
	print("a \"string\"\n");
	print((void *)0x1234);
	exit(0);
}
