/*
 * Expressions of integers of all types: of the types that C gives them, calculated in 64 bits.
 */
#pragma D option quiet

int i;
unsigned int u;
char c;
unsigned char b;
short s;
unsigned short h;
long long q;
unsigned long long w;

BEGIN
{
	i = (int)0x7fffull;
	u = (unsigned int)0xffffull;
	c = (char)0xffffffffffff8000ull;
	b = (unsigned char)0xfffffffffffffff9ull;
	s = (short)0x7fffull;
	h = (unsigned short)0xffffffffffffffffull;
	q = (long long)0x0ull;
	w = (unsigned long long)0x80ull;
}

BEGIN
{
	printf("%d\n", (long long)(((s * s) || (w == h))));
	printf("%d\n", (long long)((s + (((c ? w : q) + (h && c)) <= ((q * 0x100000000) > (i - b))))));
	printf("%d\n", (long long)(((unsigned char)((s * s)) >= q)));
	printf("%d\n", (long long)((((w | h) >= (0x100000000 - b)) <= (unsigned char)((w / ((u & 0xff) + 1))))));
	printf("%d\n", (long long)((((i <= b) || (0x7fll || c)) ^ (!(0177) << ((q % ((w & 0xff) + 1)) & 31)))));
	printf("%d\n", (long long)(!(((077777ll % ((q & 0xff) + 1)) | (h >> (03ll & 31))))));
	printf("%d\n", (long long)((((b | 0x8000ull) + (w % ((q & 0xff) + 1))) & ((q & u) | c))));
	printf("%d\n", (long long)(+(((b ^ w) ? (0x2ll + 2ull) : (s * s)))));
	printf("%d\n", (long long)(((w - 00) % (((46867ll & 0x0) & 0xff) + 1))));
	printf("%d\n", (long long)((((h | s) ? (128ll + h) : (w & s)) - (unsigned short)((07 + 2147483648u)))));
	printf("%d\n", (long long)((((w | w) + (c - h)) > ((h | 077777u) != +(q)))));
	printf("%d\n", (long long)(((c * (2147483648u & c)) | ((02 >> (u & 31)) && (i > h)))));
	printf("%d\n", (long long)(((q | +(w)) * ((w ? 2 : i) + (32768ull + u)))));
	printf("%d\n", (long long)((((14576ull >> (b & 31)) != (0x8000 << (0x0 & 31))) << ((c - (w + i)) & 31))));
	printf("%d\n", (long long)(((255 + s) - (u || 0100000u))));
	printf("%d\n", (long long)((+(s) - ((0x7fffffffull % ((w & 0xff) + 1)) & (q - i)))));
	printf("%d\n", (long long)((i * (c << (b & 31)))));
	printf("%d\n", (long long)(((w + u) * (b || 0100000u))));
	printf("%d\n", (long long)((unsigned int)(((0100000 < 0xffffffffull) < (s >> (b & 31))))));
	printf("%d\n", (long long)(w));
	printf("%d\n", (long long)(((unsigned int)((unsigned short)(0x80ll)) * ((i << (b & 31)) << (q & 31)))));
	printf("%d\n", (long long)(0177777ull));
	printf("%d\n", (long long)(1ull));
	printf("%d\n", (long long)((((s >= w) < (s - c)) == !((i & h)))));
	printf("%d\n", (long long)(~((((i * 256) & (w * q)) * ((w - w) ^ (b - c))))));
	printf("%d\n", (long long)((((q - 0x0u) - (b ^ 256ll)) & ((i & 0x100000000ull) && w))));
	printf("%d\n", (long long)((((h ? u : b) | -(w)) * ((b | b) <= (0100000ull & 32767)))));
	printf("%d\n", (long long)((w ? u : ((unsigned long long)(015127) * (unsigned long long)(7ll)))));
	printf("%d\n", (long long)(~((0200000 / ((2147483648u & 0xff) + 1)))));
	printf("%d\n", (long long)((((0x7fffffffu - q) << (!(2147483647u) & 31)) && ((3ull | i) | (03 + 256)))));
	printf("%d\n", (long long)(+(q)));
	printf("%d\n", (long long)(((~(0377ull) < 0x7fffull) ^ h)));
	printf("%d\n", (long long)(~((h ^ i))));
	printf("%d\n", (long long)((((b ? s : b) <= (h && b)) & ((0x10000ll ? h : q) % ((2 & 0xff) + 1)))));
	printf("%d\n", (long long)(((~(c) || (0xffffffff <= q)) % ((!(q) & 0xff) + 1))));
	printf("%d\n", (long long)((!(((w + s) << ((q ^ s) & 31))) >> (b & 31))));
	printf("%d\n", (long long)(-((u ? h : b))));
	printf("%d\n", (long long)((((s && h) + (0101241ll > i)) - 037777777777)));
	printf("%d\n", (long long)(~(+(077777))));
	printf("%d\n", (long long)((07ll + +(03ull))));
	exit(0);
}
