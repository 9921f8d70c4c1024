#pragma D option quiet

string words[3];

BEGIN
{
	words[1] = "one";
	printf("%s\n", words[1]);
	exit(0);
}
