#pragma D option quiet

struct pair { int a; int b; };
struct pair one;
struct pair other;

BEGIN
{
	one.a = 1;
	other.a = 2;
	printf("%d %d\n", (pid ? one : other).a, (pid == 0 ? one : other).a);
	exit(0);
}
