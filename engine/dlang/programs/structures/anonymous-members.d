#pragma D option quiet

struct value {
	int kind;
	union {
		int number;
		struct { short low; short high; };
	};
};
struct value v;

BEGIN
{
	v.number = 0x20001;
	printf("%d %d\n", v.low, v.high);
	v.kind = 7;
	printf("%d %d\n", v.kind, offsetof(struct value, high));
	exit(0);
}
