#pragma D option quiet

BEGIN
{
	printf("index(\"foobarbaz\", \"ba\") = %d\n", index("foobarbaz", "ba"));
	printf("index(\"foobarbaz\", \"ba\", 4) = %d\n", index("foobarbaz", "ba", 4));
	printf("index(\"foo\", \"x\") = %d\n", index("foo", "x"));
	printf("rindex(\"foobarbaz\", \"ba\") = %d\n", rindex("foobarbaz", "ba"));
	printf("rindex(\"foobarbaz\", \"ba\", 5) = %d\n", rindex("foobarbaz", "ba", 5));
	printf("rindex(\"foo\", \"x\") = %d\n", rindex("foo", "x"));
	exit(0);
}
