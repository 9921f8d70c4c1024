#pragma D option quiet

struct row { int cells[4]; };
struct row r;

BEGIN
{
	r.cells[4] = 1;
	exit(0);
}
