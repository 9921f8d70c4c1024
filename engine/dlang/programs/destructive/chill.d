#pragma D option quiet
#pragma D option destructive

BEGIN
{
	this->begin = timestamp;
	chill(100000000);
	printf("%s\n", timestamp - this->begin >= 100000000 ? "chilled" : "went on");
	exit(0);
}
