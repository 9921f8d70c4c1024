#pragma D option quiet

BEGIN
{
	this->t = strtok("a,b,c", ",");
	this->t = strtok("x,y", ",");
	printf("%s %s\n", this->t, strtok(NULL, ","));
	exit(0);
}
