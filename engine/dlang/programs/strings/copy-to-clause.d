BEGIN
{
	this->s = "abcdef"; bcopy("XY", this->s, 2);
}
