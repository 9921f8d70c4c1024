#pragma D option quiet

BEGIN
{
	printf("%s" "-%s" "\n", "one" " and " "two", stringof("\x41" "B"));
	x["a" "b"] = 5;
	printf("%d %d\n", x["ab"], sizeof("1" "23"));
	exit(0);
}
