#pragma D option strsize=64k
BEGIN
{
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
}
