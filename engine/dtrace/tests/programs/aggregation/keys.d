/* Keys have columns; those of one and two bytes are unsigned. */
#pragma D option quiet
BEGIN
{
	@[(char)-1, (short)-1, -1, -1LL, "text"] = count();
	@[(char)1, (short)1, 1, 1LL, "a text that is longer than the fifty columns that it has"] = count();
	exit(0);
}
