#pragma D option quiet

struct fields { unsigned int a : 3; int b : 5; unsigned int c : 24; };
struct fields f;

BEGIN
{
	f.a = 9;
	f.b = -3;
	f.c = 0x123456;
	printf("%d %d %x\n", f.a, f.b, f.c);
	f.b += 20;
	f.c |= 0xf00000;
	f.a--;
	printf("%d %d %x\n", f.a, f.b, f.c);
	f.b = 15;
	f.b++;
	printf("%d %d\n", f.b, f.a = 12);
	printf("%d\n", sizeof (struct fields));
	exit(0);
}
