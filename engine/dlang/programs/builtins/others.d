#pragma D option quiet

BEGIN
{
	printf("%d\n", errno == errno);
	printf("%d\n", curthread == curthread);
	printf("%d\n", stackdepth == stackdepth);
	printf("%d\n", cpuoffset == cpuoffset);
	printf("%d\n", caller == caller);
	printf("%d\n", uregs[R_PC] == uregs[R_PC]);
	exit(0);
}
