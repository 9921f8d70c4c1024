/* What an open file is, as members of fileinfo_t, from a file. */

typedef struct fileinfo {
	string fi_name;
	string fi_fs;
	long long fi_offset;
	int fi_oflags;
} fileinfo_t;

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : stringof(F->f_path.dentry->d_name.name);
	fi_fs = F == NULL ? "<none>" : stringof(F->f_path.mnt->mnt_sb->s_type->name);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

inline fileinfo_t fds[int N] = xlate <fileinfo_t> (
	N >= 0 && N < curthread->files->fdt->max_fds ?
	    curthread->files->fdt->fd[N] : (struct file *)NULL);

#pragma D attributes Stable/Stable/Common fds
