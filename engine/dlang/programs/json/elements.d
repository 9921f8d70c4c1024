#pragma D option quiet

BEGIN
{
	this->text = "{ \"pid\": 42, \"args\": [ \"ls\", \"-l\", [ 7, 8 ] ], \"ok\": true, \"of\": { \"a.b\": 1, \"c\": { \"d\": null } }, \"say\": \"a \\\"b\\\"\" }";
	printf("%s\n", json(this->text, "pid"));
	printf("%d\n", strtoll(json(this->text, "pid")) + 1);
	printf("%s\n", json(this->text, "args[1]"));
	printf("%s\n", json(this->text, "args[2][1]"));
	printf("%s\n", json(this->text, "args"));
	printf("%s\n", json(this->text, "ok"));
	printf("%s\n", json(this->text, "of.c.d"));
	printf("%s\n", json(this->text, "say"));
	printf("%s\n", json(json(this->text, "of"), "c.d"));
	exit(0);
}
