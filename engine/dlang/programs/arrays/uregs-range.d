BEGIN
{
	trace(uregs[500]);
}
