/* What a CPU is, as members of cpuinfo_t, from its number. */

typedef struct cpuinfo {
	processorid_t cpu_id;
} cpuinfo_t;

translator cpuinfo_t < int C > {
	cpu_id = C;
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);

#pragma D attributes Stable/Stable/Common curcpu
