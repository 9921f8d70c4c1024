BEGIN
{
	self->s = "abcdef"; bcopy("XY", (char *)self->s + 1, 2);
}
