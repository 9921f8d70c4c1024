#pragma D option quiet

BEGIN
{
	s = "first";
	printf("%s\n", s);
	s = strjoin(s, "-second");
	printf("%s\n", s);
	self->s = s;
	this->s = self->s;
	printf("%s %s\n", self->s, this->s);
	s = "";
	printf("[%s] %s\n", s, self->s);
	exit(0);
}
