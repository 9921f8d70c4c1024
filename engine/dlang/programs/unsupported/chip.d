BEGIN
{
	trace(chip);
}
