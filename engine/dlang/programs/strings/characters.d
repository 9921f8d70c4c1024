#pragma D option quiet

BEGIN
{
	s = "hello";
	printf("s[0] = %c\n", s[0]);
	printf("s[4] = %c\n", s[4]);
	printf("s[5] = %d\n", s[5]);
	printf("*s = %c\n", *s);
	printf("s + 2 = %s\n", s + 2);
	exit(0);
}
