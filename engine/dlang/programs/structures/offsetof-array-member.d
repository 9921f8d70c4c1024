#pragma D option quiet

struct row { char name[5]; short cells[3]; };

BEGIN
{
	printf("%d %d\n", offsetof(struct row, cells), sizeof (struct row));
	exit(0);
}
