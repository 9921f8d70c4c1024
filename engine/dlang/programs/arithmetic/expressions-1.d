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
	i = (int)0x0ull;
	u = (unsigned int)0x0ull;
	c = (char)0x7full;
	b = (unsigned char)0x7full;
	s = (short)0xc8ull;
	h = (unsigned short)0x0ull;
	q = (long long)0x5ull;
	w = (unsigned long long)0xffffffffffffff80ull;
}

BEGIN
{
	printf("%d\n", (long long)((((w * 7ll) | (65536u | i)) | 4294967295)));
	printf("%d\n", (long long)(((0177777 != 2147483648) ? (03ll & c) : (4294967295 * 127u))));
	printf("%d\n", (long long)((!(b) & !((i | (0x80ull >> (u & 31)))))));
	printf("%d\n", (long long)((((q & 0200000ll) * (i * 2ull)) * ((w - s) << (+(128ull) & 31)))));
	printf("%d\n", (long long)(((-(c) > (char)(s)) > ((s | s) != (0x3ll && q)))));
	printf("%d\n", (long long)((((i ^ 0377ll) << ((b & q) & 31)) ^ ((unsigned long long)(c) | (u + h)))));
	printf("%d\n", (long long)((char)((c * (h * h)))));
	printf("%d\n", (long long)(((unsigned char)(0x8000) ? (b ^ q) : (s << (b & 31)))));
	printf("%d\n", (long long)(+(!(040000000000))));
	printf("%d\n", (long long)((!((040000000000 + 077777)) + ((0x7fffll + 01u) / ((+(c) & 0xff) + 1)))));
	printf("%d\n", (long long)((-((s + u)) ^ u)));
	printf("%d\n", (long long)(((!(h) ^ (c >> (0x3u & 31))) + (b < ~(h)))));
	printf("%d\n", (long long)(07));
	printf("%d\n", (long long)((((07 / ((i & 0xff) + 1)) || (u | b)) ^ ((c << (0x7fffull & 31)) ^ (s * 0200)))));
	printf("%d\n", (long long)(q));
	printf("%d\n", (long long)(h));
	printf("%d\n", (long long)((((s & b) & (s | 0x7fffffffull)) | (unsigned long long)(0x1ll))));
	printf("%d\n", (long long)(((i + b) << ((u > 128) & 31))));
	printf("%d\n", (long long)(u));
	printf("%d\n", (long long)(((b ^ h) + ((b | c) / (((h ^ h) & 0xff) + 1)))));
	printf("%d\n", (long long)((((u - u) + i) == ((i >= q) * (u / ((32767 & 0xff) + 1))))));
	printf("%d\n", (long long)((int)((b & c))));
	printf("%d\n", (long long)(+(((w & w) ? u : (unsigned long long)(b)))));
	printf("%d\n", (long long)(w));
	printf("%d\n", (long long)(s));
	printf("%d\n", (long long)(-((b & h))));
	printf("%d\n", (long long)(q));
	printf("%d\n", (long long)((w >= ~(1ll))));
	printf("%d\n", (long long)(~((unsigned char)(2147483647))));
	printf("%d\n", (long long)(((w * u) ^ (char)(077777ll))));
	printf("%d\n", (long long)((+((h << (00ull & 31))) <= ((0x100 * h) & (0x2u * 6012ull)))));
	printf("%d\n", (long long)(((((c && s) ^ 0200000ull) + ((int)(h) << (w & 31))) % ((i & 0xff) + 1))));
	printf("%d\n", (long long)((-(0x1u) % ((w & 0xff) + 1))));
	printf("%d\n", (long long)((((040000000000 == s) + c) * ((b ? c : u) - (b - h)))));
	printf("%d\n", (long long)((((w ? q : s) << ((h <= 0107211ll) & 31)) || ((h ? w : u) + -(b)))));
	printf("%d\n", (long long)((((s & s) || (u - q)) != ((b ^ u) | (u ^ q)))));
	printf("%d\n", (long long)((~(00) / (((02 >= h) & 0xff) + 1))));
	printf("%d\n", (long long)(((w >= (0x100000000 ^ h)) + ((b && w) ? (i << (1 & 31)) : (i & i)))));
	printf("%d\n", (long long)(((4294967295 + 2147483647ll) / (((0123361 / ((q & 0xff) + 1)) & 0xff) + 1))));
	printf("%d\n", (long long)(((00ull * 2) % (((s & 00ull) & 0xff) + 1))));
	exit(0);
}
