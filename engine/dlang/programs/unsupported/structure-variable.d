BEGIN
{
	trace(curpsinfo->pr_fname);
}
