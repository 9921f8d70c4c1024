#pragma D option quiet

struct wide { unsigned long long all : 64; long long most : 63; };
struct wide w;

BEGIN
{
	w.all = -1;
	w.most = -1;
	printf("%x %d\n", w.all, w.most);
	w.all = 5;
	w.most = w.all - 6;
	printf("%d %d %d\n", w.all, w.most, sizeof (w));
	exit(0);
}
