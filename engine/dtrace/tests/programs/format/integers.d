/* Flags, widths and precisions of integers are as in C. */
#pragma D option quiet
BEGIN
{
	printf("[%d] [%i] [%u] [%o] [%x] [%X] [%p]\n", -42, -42, 42, 42, 42, 42, 42);
	printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%+05d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%.4d] [%8.4d] [%-8.4d] [%08.4d] [%.0d]\n", -42, -42, -42, -42, 0);
	printf("[%#o] [%#x] [%#X] [%#x] [%#8x] [%#08x]\n", 8, 255, 255, 0, 255, 255);
	printf("[%'d] [%*d] [%-*d] [%.*d]\n", 1234567, 5, 1, 5, 1, 3, 1);
	printf("[%*d]\n", -5, 1);
	exit(0);
}
