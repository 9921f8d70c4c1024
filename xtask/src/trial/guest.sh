#!/bin/sh
# The trial, as root in the guest. Each step is a line on the console; what a failed one printed
# precedes its line.
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin
cd /root
failed=
# On a line of its own, whatever else was printed.
report() { printf '\ntrial: %s\n' "$*"; }
step() { # WHAT COMMAND...
  what=$1; shift
  report "begins $what"
  if "$@" >output 2>&1; then report "ok $what"; return; fi
  tail -n 40 output
  # What DKMS refers to.
  tail -n 40 /var/lib/dkms/trapline/*/build/make.log 2>/dev/null
  report "FAILED $what"; failed=yes
}
install() { timeout 2400 apt-get install -q -y "$@"; }
running=$(uname -r)
. ./kernels

built() { # KERNEL
  ls /lib/modules/$1/updates/dkms/trapline.ko* && grep trapline /lib/modules/$1/modules.dep
}
counts() {
  timeout 120 dtrace -n 'fbt::vfs_read:entry { @[execname] = count(); }' -c 'cat /proc/self/status' >counted || return
  cat counted
  awk '$1 == "cat" && $2 > 0 { found = 1 } END { exit !found }' counted
}
# By the kernel's unwinder: Debian's kernels have another than Ubuntu's.
finds_callers() {
  timeout 120 dtrace -n 'fbt::vfs_read:entry,fbt::vfs_read:return /execname == "cat"/ { @[probename, stack(2)] = count(); }' \
    -c 'cat /proc/self/status' >counted || return
  cat counted
  [ $(grep -c 'ksys_read' counted) = 2 ]
}
# The consumer of osnoise's tracepoint has probes, and the tracer ends while they are armed.
tracing=/sys/kernel/tracing
beside_osnoise() {
  [ -e $tracing/events ] || mount -t tracefs tracefs $tracing || return
  echo osnoise >$tracing/current_tracer && echo 1 >$tracing/events/osnoise/nmi_noise/enable
  begun=$?
  timeout 300 dtrace -n 'fbt:::entry { @ = count(); }' \
    -c "sh -c 'sleep 5; echo nop >$tracing/current_tracer; sleep 5'" >counted 2>&1
  ended=$?
  echo 0 >$tracing/events/osnoise/nmi_noise/enable
  echo nop >$tracing/current_tracer
  cat counted
  [ $begun = 0 ] && [ $ended = 0 ] && grep -E '^ +[1-9][0-9]{4,}$' counted && ! pgrep -l osnoise/
}
doctor() { timeout 120 dtrace --doctor "$@"; }
explains() {
  function=$(awk '$2 == "vmlinux" && $4 == "entry" { print $3; exit }' /proc/dtrace/refused)
  [ "$function" ] && doctor "$function" | grep " $function entry " &&
    doctor no_such_function | grep 'the kernel has no such function'
}
has_a_manual() { man -w dtrace && man dtrace | grep -e --doctor; }
kernel() { install --no-install-recommends linux-image-$1 linux-headers-$1; }
another() { kernel $another && built $another; }
# PREEMPT_RT is one of the options that rule the module out.
refuses() { kernel $refused && ls -d /lib/modules/$refused/build && ! built $refused; }
# Prints what is named after the packages, except for them themselves, and for what apt and man keep
# of each package and of each page that was read.
remains() {
  find / /run /tmp -xdev \( -iname '*trapline*' -o -iname 'dtrace*' -o -name _dtrace \) \
    ! -path '/root/*' ! -path '/var/cache/*' ! -path '/sys/*' | sort -u
  grep -rl trapline /lib/modules/*/modules.* /etc /var/lib/dkms /var/lib/dpkg/status
}
something_remains() { [ "$(remains 2>/dev/null | tee output)" ]; }
nothing_remains() { ! something_remains; }
healthy() {
  dmesg >messages && grep -q 'Linux version' messages || return
  ! grep -E 'WARNING:|BUG|Oops|\[#[0-9]+\]|general protection|rcu.*stall|blocked for more|Call Trace' messages
}

step "nothing of Trapline is there at first" nothing_remains
step "apt installs the packages on $running" install ./trapline*.deb linux-headers-$running
step "there is something to remove now" something_remains
step "the module is built for $running" built $running
step "dtrace -n 'fbt::vfs_read:entry' counts what cat reads" counts
step "stack() finds vfs_read's caller at its entry and return" finds_callers
if grep -q ^CONFIG_OSNOISE_TRACER=y /boot/config-$running; then
  step "it counts while osnoise runs, and that ends" beside_osnoise
fi
step "dtrace --doctor finds nothing bad" doctor
step "it says why a function has no probe" explains
step "there is dtrace(8)" has_a_manual
step "the installation of $another builds the module for it" another
step "$refused, which the module refuses, is installed without it" refuses
step "the module leaves the kernel" rmmod trapline
step "apt purges the packages" timeout 600 apt-get purge -q -y trapline trapline-dkms
step "nothing of them remains" nothing_remains
step "the kernel complains of nothing" healthy
[ "$failed" ] && report failed || report passed
