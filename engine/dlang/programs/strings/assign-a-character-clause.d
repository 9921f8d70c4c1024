BEGIN
{
	this->s = "abc";
	this->s[0] = 'x';
}
