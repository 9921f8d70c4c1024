#pragma D option quiet

BEGIN
{
	this->s = "\a\b\f\n\r\t\v\\\"";
	this->p = (char *)alloca(16);
	bcopy(this->s, this->p, 9);
	printf("%d %d %d %d %d %d %d %d %d\n", this->p[0], this->p[1], this->p[2], this->p[3], this->p[4], this->p[5], this->p[6], this->p[7], this->p[8]);
	exit(0);
}
