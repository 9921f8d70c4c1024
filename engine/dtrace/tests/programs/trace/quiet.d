/* With quiet, only traced data is printed. */
#pragma D option quiet
BEGIN
{
	trace((char)-1);
	trace("|");
	trace(-5LL);
	trace("|");
	trace("text");
	trace("|");
	trace("");
	trace("\n");
	exit(0);
}
