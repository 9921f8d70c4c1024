/*
 * What a process and a thread are, as members of psinfo_t and lwpsinfo_t, from a task_struct.
 *
 * A member that is defined more than once is the first of these that the kernel has the members
 * for; one that is left without is not defined.
 */

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SONPROC = 6;

inline int PR_STOPPED = 0x1;
inline int PR_ISSYS = 0x1000;

typedef struct psinfo {
	int pr_nlwp;
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;
	string pr_fname;
	string pr_psargs;
	size_t pr_arglen;
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
} psinfo_t;

typedef struct lwpsinfo {
	int pr_flag;
	id_t pr_lwpid;
	uintptr_t pr_addr;
	char pr_state;
	char pr_sname;
	int pr_pri;
	string pr_clname;
	processorid_t pr_onpro;
} lwpsinfo_t;

/*
 * A process's arguments are one string after the other in its own memory, so they can be read only
 * from within; this->_psinfo_args is what has been read, and this->_psinfo_next where the next one is.
 * An expression has no loop: each line is for one more argument.
 */
inline string _psinfo_add[uintptr_t end] =
	(this->_psinfo_next += strlen(copyinstr(this->_psinfo_next)) + 1) < end ?
	(this->_psinfo_args = strjoin(this->_psinfo_args, strjoin(" ", copyinstr(this->_psinfo_next)))) :
	this->_psinfo_args;

inline string _psinfo_args[uintptr_t begin, uintptr_t end] = (
	this->_psinfo_next = begin,
	this->_psinfo_args = copyinstr(begin),
	_psinfo_add[end],
	_psinfo_add[end],
	_psinfo_add[end],
	_psinfo_add[end],
	_psinfo_add[end],
	_psinfo_add[end],
	_psinfo_add[end]);

/*
 * A process's stack begins with the number of arguments, in a word. Their addresses follow, a NULL,
 * and the environment's. Only those of a process that has the kernel's word are where they are
 * looked for.
 */
inline int _psinfo_argc[uintptr_t stack] = *(int *)copyin(stack, sizeof (int));

translator psinfo_t < struct task_struct *T > {
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_fname = T->comm;
	pr_psargs = T->tgid == pid && T->mm != NULL ?
	    _psinfo_args[T->mm->arg_start, T->mm->arg_end] : stringof(T->comm);
	pr_arglen = T->mm != NULL ? T->mm->arg_end - T->mm->arg_start : 0;
	pr_argc = T->tgid == pid && T->mm != NULL ? _psinfo_argc[T->mm->start_stack] : 0;
	pr_argv = T->mm != NULL ? T->mm->start_stack + sizeof (uintptr_t) : 0;
	pr_envp = T->tgid == pid && T->mm != NULL ?
	    T->mm->start_stack + (_psinfo_argc[T->mm->start_stack] + 2) * sizeof (uintptr_t) : 0;
};

/* The bits of a thread's state that the kernel names __TASK_STOPPED and __TASK_TRACED. */
inline int _LWP_HALTED = 0x4 | 0x8;

/* Of another thread it is not known whether it runs or is about to. */
inline char _lwp_state[struct task_struct *T, uint_t state] =
	T->exit_state != 0 ? SZOMB :
	T == curthread ? SONPROC :
	(state & _LWP_HALTED) != 0 ? SSTOP :
	state == 0 ? SRUN : SSLEEP;

inline char _lwp_sname[char state] =
	state == SZOMB ? 'Z' : state == SONPROC ? 'O' : state == SSTOP ? 'T' :
	state == SRUN ? 'R' : 'S';

/* The bit of a thread's flags that the kernel names PF_KTHREAD. */
inline int _LWP_KTHREAD = 0x200000;

inline int _lwp_flag[struct task_struct *T, uint_t state] =
	((state & _LWP_HALTED) != 0 ? PR_STOPPED : 0) |
	((T->flags & _LWP_KTHREAD) != 0 ? PR_ISSYS : 0);

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = _lwp_flag[T, T->__state];
	pr_flag = _lwp_flag[T, T->state];
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_state = _lwp_state[T, T->__state];
	pr_state = _lwp_state[T, T->state];
	pr_sname = _lwp_sname[_lwp_state[T, T->__state]];
	pr_sname = _lwp_sname[_lwp_state[T, T->state]];
	pr_pri = T->prio;
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FF" : T->policy == 2 ? "RR" :
	    T->policy == 3 ? "B" : T->policy == 5 ? "IDL" : T->policy == 6 ? "DLN" : "?";
	pr_onpro = T->thread_info.cpu;
	pr_onpro = T->cpu;
	pr_onpro = T == curthread ? cpu : -1;
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
inline struct task_struct *curproc = curthread->group_leader;
inline string execargs = curpsinfo->pr_psargs;

#pragma D attributes Stable/Stable/Common curpsinfo
#pragma D attributes Stable/Stable/Common curlwpsinfo
#pragma D attributes Stable/Private/Common curproc
