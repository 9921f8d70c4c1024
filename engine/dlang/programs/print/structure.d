#pragma D option quiet

struct inner { short a; char name[8]; };
struct outer {
	int number;
	struct inner in;
	union { int whole; unsigned char bytes[4]; };
	unsigned int low : 3;
	int high : 5;
	int numbers[3];
	struct inner more[2];
	enum { OFF, ON } state;
	string text;
};
struct outer o;

BEGIN
{
	o.number = -3;
	o.in.a = 7;
	o.whole = 0x01020304;
	o.low = 5;
	o.high = -2;
	o.numbers[1] = 11;
	o.more[1].a = 9;
	o.state = ON;
	o.text = "text";
	print(o);
	exit(0);
}
