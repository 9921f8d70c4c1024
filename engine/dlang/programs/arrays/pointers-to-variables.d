#pragma D option quiet

int v[3], *p;
this short h[2];
self int t[4];
int m[2][3];
char text[8];
string names[2];

BEGIN
{
	p = v;
	p[1] = 5;
	printf("%d %d\n", v[1], p[1]);
	*v = 9;
	*(v + 2) = 7;
	q = &v[2];
	(*q)++;
}

BEGIN
{
	printf("%d %d %d %d\n", v[0], v[2], p[1], *q);
	printf("%d %d\n", q - p, p == &v[0]);
	self->t[3] = 33;
	r = &self->t[3];
	*r += 1;
	r[-1] = 2;
	printf("%d %d %d\n", self->t[3], self->t[2], self->t[0]);
	this->h[1] = 4;
	this->g = (short *)this->h;
	this->g[0] = 3;
	printf("%d %d\n", this->h[0], this->h[1]);
	i = &m[1][0];
	i[2] = 12;
	printf("%d %d\n", m[1][2], (*(&m[1]))[2]);
}

BEGIN
{
	printf("%d %d\n", this->h[0], self->t[3]);
	text[0] = 'h';
	text[1] = 'i';
	printf("%s %d\n", stringof(text), strlen(text));
	bcopy("abc", &text[2], 3);
	printf("%s\n", (string)text);
	names[0] = "one";
	names[1] = "two";
	names[0] = "three";
	printf("%s %s\n", names[0], names[1]);
}

BEGIN
{
	exit(0);
}

END
{
	printf("%d %d\n", *p, this->h[1]);
}
