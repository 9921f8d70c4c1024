BEGIN
{
	trace(this->x);
}
