#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x > y ? 1 : 2 = %d\n", x > y ? 1 : 2);
	printf("x < y ? 1 : 2 = %d\n", x < y ? 1 : 2);
	printf("x < y ? 1 : x == 12 ? 3 : 4 = %d\n", x < y ? 1 : x == 12 ? 3 : 4);
	printf("x ? \"yes\" : \"no\" = %s\n", x ? "yes" : "no");
	exit(0);
}
