#pragma D option quiet

inline int WANTED = 1;

BEGIN
/WANTED && pid != 0/
{
	printf("here\n");
	exit(0);
}
