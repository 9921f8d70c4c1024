#pragma D option quiet
#pragma D option amin=Stable/Stable/Common

inline uint64_t thread = (uint64_t)curthread;
inline int is_thread[uint64_t it] = it == (uint64_t)curthread;

/* Before or after what it is for, and before or after the clauses. */
#pragma D attributes Stable/Stable/Common thread

dtrace:::BEGIN
{
	printf("%d\n", is_thread[thread]);
	exit(0);
}

#pragma D attributes Standard/Standard/Common is_thread
