#pragma D option quiet

struct s { int kind; union { int number; char letter; }; };
struct s v;

BEGIN
{
	v.number = 0x141;
	printf("%c %d %d\n", v.letter, sizeof (struct s), offsetof(struct s, letter));
	exit(0);
}
