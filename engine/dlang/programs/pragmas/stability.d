#pragma D option quiet
#pragma D depends_on provider profile
#pragma D attributes Stable/Evolving/ISA before
#pragma D attributes private/private/unknown provider profile args

inline int ONE = 1;
#pragma D binding "1.4.1" ONE
int before;

BEGIN
{
	printf("%d %d\n", ONE, before);
	exit(0);
}
