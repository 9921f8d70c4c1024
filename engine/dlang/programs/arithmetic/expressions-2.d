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
	i = (int)0x7full;
	u = (unsigned int)0xffffffff80000000ull;
	c = (char)0xffffull;
	b = (unsigned char)0x0ull;
	s = (short)0x5ull;
	h = (unsigned short)0xffffffffffff8000ull;
	q = (long long)0x5ull;
	w = (unsigned long long)0x5ull;
}

BEGIN
{
	printf("%d\n", (long long)(((i - (017777777777u + 3)) & ((0ull < c) % (((00ll || s) & 0xff) + 1)))));
	printf("%d\n", (long long)((((s || w) ? 0xffffffffull : (c & h)) & -((1ull & s)))));
	printf("%d\n", (long long)(((0x7fffu % ((i & 0xff) + 1)) || (unsigned long long)(h))));
	printf("%d\n", (long long)(((q << (0 & 31)) | (u & h))));
	printf("%d\n", (long long)(~((h == (s % ((b & 0xff) + 1))))));
	printf("%d\n", (long long)(~((u <= i))));
	printf("%d\n", (long long)(((u >> (q & 31)) & (u / ((u & 0xff) + 1)))));
	printf("%d\n", (long long)((unsigned int)(-((u % ((q & 0xff) + 1))))));
	printf("%d\n", (long long)(((int)(128) | (s ? 2u : h))));
	printf("%d\n", (long long)((char)(((0x1 & s) % (((w > q) & 0xff) + 1)))));
	printf("%d\n", (long long)((short)((int)((w & 256ll)))));
	printf("%d\n", (long long)((((0 + 0xd95full) ^ (h | i)) > ((c >> (u & 31)) | ~(i)))));
	printf("%d\n", (long long)(~(((i ? c : 01ll) * (w > h)))));
	printf("%d\n", (long long)(w));
	printf("%d\n", (long long)((((char)(0400ll) - (u ? s : q)) | ((q * c) - (0400ull >> (0x7fffffff & 31))))));
	printf("%d\n", (long long)(((s * s) ^ (i ^ u))));
	printf("%d\n", (long long)((+(!(0xffffffff)) | (+(h) ? (h | u) : (256 + i)))));
	printf("%d\n", (long long)((((i & 2147483648) | b) ^ ((b / ((q & 0xff) + 1)) % ((!(w) & 0xff) + 1)))));
	printf("%d\n", (long long)(c));
	printf("%d\n", (long long)(0200u));
	printf("%d\n", (long long)(((s + (h + w)) * ((h << (b & 31)) ? (u ? 3 : 32767ll) : (0x8000ll > b)))));
	printf("%d\n", (long long)((((u % ((01 & 0xff) + 1)) < (b % ((h & 0xff) + 1))) < ((s ^ b) || w))));
	printf("%d\n", (long long)((((q + q) ? (b | w) : (q ^ 7)) % ((((c && w) & !(h)) & 0xff) + 1))));
	printf("%d\n", (long long)(-((255ull > i))));
	printf("%d\n", (long long)((int)((037777777777 + w))));
	printf("%d\n", (long long)(((unsigned int)((i | s)) >= ((i || s) - ~(u)))));
	printf("%d\n", (long long)(((q % ((i & 0xff) + 1)) && (c * h))));
	printf("%d\n", (long long)(-((unsigned short)((+(h) || (w % ((c & 0xff) + 1)))))));
	printf("%d\n", (long long)(((w - h) || (u / ((s & 0xff) + 1)))));
	printf("%d\n", (long long)(((s > b) | (0xffull - 1ull))));
	printf("%d\n", (long long)((((c ^ u) - (q ^ c)) - ((unsigned long long)(s) ? (u ^ s) : (s * 255ll)))));
	printf("%d\n", (long long)((((char)(u) & (u & c)) ^ +((b ? 0x1ull : b)))));
	printf("%d\n", (long long)((unsigned char)(((s || b) + (c ^ 1ll)))));
	printf("%d\n", (long long)((q ^ ((b / ((u & 0xff) + 1)) / (((c ^ q) & 0xff) + 1)))));
	printf("%d\n", (long long)(((((int)(c) - s) * !((i << (c & 31)))) ? (int)(~(+(b))) : !(h))));
	printf("%d\n", (long long)((+((c + w)) | (char)((02ull | c)))));
	printf("%d\n", (long long)((((256ll | q) + (c ? w : u)) - ((s | s) & (w % ((0x7fu & 0xff) + 1))))));
	printf("%d\n", (long long)(((unsigned int)((0x8000ull ^ 0x7f)) < (b * (w - s)))));
	printf("%d\n", (long long)(i));
	printf("%d\n", (long long)(s));
	exit(0);
}
