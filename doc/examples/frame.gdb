# The crash of 2013 in a debugger: the mutant overwrites the frame that the trap returns with.
# Usage: gdb-multiarch -batch -x .../repro/gdb.cmd -x frame.gdb
# gdb.cmd has stopped at the hit; $frame has the trap's 18 words: r0 to pc, the CPSR, ORIG_r0.
printf "probed: "
info symbol $frame[15]
printf "before: r4 %08x, saved CPSR %08x\n", $frame[4], $frame[16]
# Stop at the store itself, or at the latest at the engine's return. The breakpoint goes, since QEMU may report
# this hit again when gdb steps off it.
delete
watch -location $frame[16]
tbreak *$lr
continue
printf "after: r4 %08x, saved CPSR %08x\n", $frame[4], $frame[16]
info symbol $pc
x/i $pc - 4
# The harness, which waits for the guest, reports what becomes of it.
delete
detach
