// A line of its own.
#pragma D option quiet

BEGIN // after a description
/1 /* in a predicate */ == 1/// after a predicate
{
	// in an action list: { " '
	printf("http://%s\n", "a/b"); // after a statement
	x = 12 / 4; /* // */ printf("%d\n", x); //
	exit(0);
}
// the last line
