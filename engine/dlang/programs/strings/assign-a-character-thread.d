BEGIN
{
	self->s = "abc";
	self->s[0] = 'x';
}
