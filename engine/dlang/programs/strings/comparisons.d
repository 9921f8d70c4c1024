#pragma D option quiet

BEGIN
{
	s = "text";
	printf("\"a\" == \"a\" = %d\n", "a" == "a");
	printf("\"a\" == \"b\" = %d\n", "a" == "b");
	printf("\"a\" != \"b\" = %d\n", "a" != "b");
	printf("\"a\" < \"b\" = %d\n", "a" < "b");
	printf("\"b\" <= \"a\" = %d\n", "b" <= "a");
	printf("\"ab\" > \"a\" = %d\n", "ab" > "a");
	printf("\"\" >= \"\" = %d\n", "" >= "");
	printf("s == \"text\" = %d\n", s == "text");
	printf("s != strjoin(\"te\", \"xt\") = %d\n", s != strjoin("te", "xt"));
	exit(0);
}
