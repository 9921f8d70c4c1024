#pragma D option quiet

enum e { A = 2 };

BEGIN
/A == 2/
{
	printf("it is\n");
	exit(0);
}
