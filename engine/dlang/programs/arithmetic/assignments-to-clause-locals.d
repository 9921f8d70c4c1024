/*
 * Assignments to clause-local variables of all types: the values expected are those that a C compiler gives.
 */
#pragma D option quiet

this int i;
this unsigned int u;
this char c;
this unsigned char b;
this short s;
this unsigned short h;
this long long q;
this unsigned long long w;

BEGIN
{
	this->i = (int)0x1ull;
	this->u = (unsigned int)0x7full;
	this->c = (char)0xc8ull;
	this->b = (unsigned char)0x1ull;
	this->s = (short)0xffffffffffffff80ull;
	this->h = (unsigned short)0xffffffffffffffffull;
	this->q = (long long)0xffffffffffffff80ull;
	this->w = (unsigned long long)0x54647a84ce939846ull;
}

BEGIN
{
	this->b += 0177ull;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q *= ((this->s < this->h) | (this->w & this->u));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->h <<= ((this->i & this->b) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->w <<= ((this->q & this->u) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->s &= ((this->w - this->q) ? (0177u && 4294967296) : (this->c ^ 0100000));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q = ((this->i + this->i) >> ((3ll & this->q) & 31));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->i += this->w;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->b |= 0xffff;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->s &= ((this->w >> (32768 & 31)) & (char)(this->s));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->w |= 0x0ll;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q = ++this->u + this->w;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->s %= (((0xffull ^ 2u) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->u %= (((this->b - this->c) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q -= ((this->s | this->w) - (this->w & this->i));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->w = (this->u += 0377);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->w = ((0ll % ((0x80000000u & 0xff) + 1)) || ~(this->h));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q = (this->i *= 0x1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	++this->i;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->u &= ((this->b | this->s) != 0377u);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q = this->c && this->u--;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->q <<= ((this->c + this->b) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->w = (this->b *= 127);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->i %= (((this->s * this->q) & 0xff) + 1);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->u <<= (this->c & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->u ^= ((this->h % ((this->c & 0xff) + 1)) | (0 + this->b));
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->c <<= ((this->c & this->b) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->i = this->u++ + this->c;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->u >>= ((65536ull - this->c) & 31);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->s = this->i && this->b--;
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	this->h = (this->i -= 037777777777ull);
	printf("%d %d %d %d %d %d %d %d\n",
	    (long long)this->i, (long long)this->u, (long long)this->c,
	    (long long)this->b, (long long)this->s, (long long)this->h,
	    (long long)this->q, (long long)this->w);
}

BEGIN
{
	exit(0);
}
