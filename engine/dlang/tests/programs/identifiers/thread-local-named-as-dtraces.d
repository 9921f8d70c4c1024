BEGIN
{
	trace(self->ipl);
}
