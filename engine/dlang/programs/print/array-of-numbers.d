#pragma D option quiet

short v[3];

BEGIN
{
	v[0] = 1;
	v[2] = -1;
	print(v);
	exit(0);
}
