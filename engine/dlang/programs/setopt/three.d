BEGIN
{
	setopt("quiet", "yes", "no");
}
