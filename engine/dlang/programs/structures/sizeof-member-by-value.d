#pragma D option quiet

struct row { char name[5]; short cells[3]; };
struct row r;

BEGIN
{
	printf("%d %d %d\n", sizeof (r.name), sizeof (r.cells), sizeof (r.cells[0]));
	exit(0);
}
