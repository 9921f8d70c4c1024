#pragma D option quiet

translator int < string s > {
	x = 1;
};

BEGIN
{
	trace(1);
	exit(0);
}
