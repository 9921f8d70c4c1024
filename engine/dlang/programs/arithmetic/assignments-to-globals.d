/*
 * Assignments to global variables of all types: the values expected are those that a C compiler gives.
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
	i = (int)0x69a249eb85b7db50ull;
	u = (unsigned int)0x80ull;
	c = (char)0x7fffffffull;
	b = (unsigned char)0x7fffffffull;
	s = (short)0x1ull;
	h = (unsigned short)0x7full;
	q = (long long)0xffffffffffff8000ull;
	w = (unsigned long long)0x5ull;
}

BEGIN
{
	u = (s -= 0ll);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b *= ((u & w) - (u && 0377u));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	h++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	s *= ((q > 13795) & (c + u));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b = (q -= 19875);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b ^= ((0100000u ? w : c) + b);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	s += ((0xffffffffu | b) & (s == 4294967295));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	u = b && c++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	c = ((h & b) - (unsigned char)(15179ll));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	u = (i + (q != h));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	s += ((b | q) * (0x1ull && h));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	i /= (((w < q) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	c >>= ((c && i) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	u <<= ((w | s) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	u <<= ((s || 0) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	h = (i -= 2147483648ll);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	i++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	--h;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	w >>= ((0x8000 >> (b & 31)) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	++c;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b *= ((c - 0x100u) ? (b - 02) : (c && w));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b = c && w++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	c = !(0177ll);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	q >>= ((c != c) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	c /= (((03 || w) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	h <<= ((s & q) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	b = (u += 0200000);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	h -= ((h || s) - (i ? q : 1));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	h = ((07 - c) | (c & 0x98b1ll));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	w = ((h * w) << ((c & 0100000u) & 31));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)i, (long long)u, (long long)c,
	    (long long)b, (long long)s, (long long)h,
	    (long long)q, (long long)w);
}

BEGIN
{
	exit(0);
}
