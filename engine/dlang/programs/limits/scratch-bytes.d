#pragma D option strsize=65535
BEGIN
{
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
	s = execname; s = execname; s = execname; s = execname; s = execname;
}
