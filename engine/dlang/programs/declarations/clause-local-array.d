#pragma D option quiet

this int v[3];

BEGIN
{
	this->v[1] = 4;
	printf("%d %d\n", this->v[1], sizeof (this->v));
	exit(0);
}
