BEGIN
{
	trace(self->);
}
