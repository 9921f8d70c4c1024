#pragma D option quiet

inline int here = curcpu->cpu_id;
cpuinfo_t copy;
cpuinfo_t *given;

BEGIN
{
	copy = xlate <cpuinfo_t> (7);
	given = xlate <cpuinfo_t *> (5);
	printf("%d %d %d %d\n", curcpu->cpu_id == cpu, here == cpu, copy.cpu_id, given->cpu_id);
	exit(0);
}
