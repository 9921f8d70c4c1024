#pragma D option quiet

BEGIN
{
	this->t = strtok("usr,bin,,dtrace", ",");
	printf("%s\n", this->t);
	this->t = strtok(NULL, ",");
	printf("%s\n", this->t);
	this->t = strtok(NULL, ",");
	printf("%s\n", this->t);
	printf("%d\n", strtok(NULL, ",") == NULL);
	exit(0);
}
