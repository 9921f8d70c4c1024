#pragma D option quiet
#pragma D option destructive

/* The time of a firing is one, but for the time that it spins. */
BEGIN
{
	this->begin = timestamp;
	printf("%d\n", timestamp - this->begin);
	chill(1);
	printf("%d\n", timestamp > this->begin);
	exit(0);
}
