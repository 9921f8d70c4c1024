#pragma D option quiet

BEGIN
{
	@one = llquantize(-57, 10, 1, 2, 10);
	@one = llquantize(0, 10, 1, 2, 10);
	@one = llquantize(20, 10, 1, 2, 10);
	@few = llquantize(5, 10, 0, 1, 5);
	@few = llquantize(77, 10, 0, 1, 5);
	@high = llquantize(12, 10, 1, 1, 10);
	@out = llquantize(-1000, 10, 1, 1, 10);
	exit(0);
}
