/*
 * Assignments to thread-local variables of all types: the values expected are those that a C compiler gives.
 */
#pragma D option quiet

self int i;
self unsigned int u;
self char c;
self unsigned char b;
self short s;
self unsigned short h;
self long long q;
self unsigned long long w;

BEGIN
{
	self->i = (int)0xc8ull;
	self->u = (unsigned int)0xffffffffffff8000ull;
	self->c = (char)0x1ull;
	self->b = (unsigned char)0x5ull;
	self->s = (short)0xffffffffffff8000ull;
	self->h = (unsigned short)0x7full;
	self->q = (long long)0xffffffffffffff80ull;
	self->w = (unsigned long long)0x1ull;
}

BEGIN
{
	self->h = self->h && self->w--;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q *= ((self->u * self->i) & (0177 || self->u));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->s >>= (~(self->c) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->u *= ((self->b ^ 0x7ull) | (self->i != self->q));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->w *= ((self->c % ((0400 & 0xff) + 1)) < 037777777777);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->u++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->w -= ((self->w - self->w) ? (self->i * self->h) : self->w);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q %= (((self->w % ((2 & 0xff) + 1)) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->i ^= ((self->c & self->i) <= (unsigned short)(self->c));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->c *= ((self->h / ((self->u & 0xff) + 1)) != (self->i != self->w));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->i *= +((self->h * 017777777777));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->w *= ((self->s * self->s) ^ (self->w ^ self->w));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->w *= ((0 / ((self->s & 0xff) + 1)) % (((self->i * self->h) & 0xff) + 1));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->s = self->h-- + self->w;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->c *= (unsigned int)((self->b & 0177ull));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->b--;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->i |= ((self->c >= self->b) - self->w);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q = (self->u = 020000000000ull);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q = (self->i += 0200);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->w %= (((self->s - self->c) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q = (~(self->h) | (self->w - self->s));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->q = self->b && self->s++;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->i = (self->c = 07ll);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->h <<= ((self->i ? 0x2u : self->b) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->b <<= ((self->u == self->u) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->b &= (-(self->q) - (7ull + 2147483647ull));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->c = self->w && self->q--;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->c *= ((040000000000 & 03) ^ (self->i + 0u));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->i = self->c++ + self->i;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	self->c += (unsigned long long)((65535ll ^ self->i));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)self->i, (long long)self->u, (long long)self->c,
	    (long long)self->b, (long long)self->s, (long long)self->h,
	    (long long)self->q, (long long)self->w);
}

BEGIN
{
	exit(0);
}
