# From a header's macros, as the preprocessor lists them: a line for each number of a system call. A second name of
# a number is left out, and so is what counts them.
/^#define __NR_[a-z_][a-z0-9_]* __NR_[a-z_]/d
/^#define __NR_\(syscalls\|arch_specific_syscall\) /d
s/^#define __NR_\([a-z_][a-z0-9_]*\) .*/CALL(\1, __NR_\1)/p
