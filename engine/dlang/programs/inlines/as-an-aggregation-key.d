#pragma D option quiet

inline string kind[int n] = n % 2 ? "odd" : "even";

BEGIN
{
	@[kind[1]] = count();
	@[kind[2]] = count();
	@[kind[4]] = count();
	printa("%s %@d\n", @);
	exit(0);
}
