#pragma D option quiet

int m[2][3];

BEGIN
{
	this->i = 1;
	this->j = 2;
	m[this->i][this->j] = 7;
	printf("%d %d\n", m[1][2], m[this->i - 1][this->j]);
	exit(0);
}
