#pragma D option quiet

struct row { int cells[3]; char name[8]; };
struct row rows[2];
int i;

BEGIN
{
	rows[1].cells[2] = 7;
	i = 1;
	rows[i].cells[i + 1] += i;
	rows[0].cells[0] = rows[1].cells[2] * 2;
	printf("%d %d\n", rows[1].cells[2], rows[0].cells[0]);
	printf("%d\n", sizeof (rows));
	exit(0);
}
