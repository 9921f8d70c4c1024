#pragma D option quiet

enum kind { A = 1, B };

BEGIN
{
	@[A] = sum(B);
	@[B] = sum(A);
	exit(0);
}
