#pragma D option quiet

struct named { int n; char name[16]; string text; };
struct named s;

BEGIN
{
	s.text = "hello";
	printf("[%s] [%s] %d\n", s.text, s.name, s.text == "hello");
	exit(0);
}
