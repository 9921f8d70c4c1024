/* Linear steps from a base to a limit. */
#pragma D option quiet
BEGIN
{
	@["inside"] = lquantize(5, 0, 20, 5);
	@["inside"] = lquantize(14, 0, 20, 5);
	@["outside"] = lquantize(-1, 0, 20, 5);
	@["outside"] = lquantize(20, 0, 20, 5);
	@["negative"] = lquantize(3, 0, 20, 5, -2);
	@one = lquantize(7, 7, 9);
	exit(0);
}
