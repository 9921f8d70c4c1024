#pragma D option quiet
BEGIN
{
	this->p = (string)alloca(8);
	p = (char *)alloca(8);
	p[0] = 'h';
	*(p + 1) = 'i';
	((string)p)[1]++;
	printf("%s\n", stringof(p));
	exit(0);
}
