# Reads a header's macros, as listed by the preprocessor, and prints a line for each system call.
# Skips aliases, and the macros that are the number of calls or the start of a range.
/^#define __NR_[a-z_][a-z0-9_]* __NR_[a-z_]/d
/^#define __NR_\(syscalls\|arch_specific_syscall\) /d
s/^#define __NR_\([a-z_][a-z0-9_]*\) .*/CALL(\1, __NR_\1)/p
