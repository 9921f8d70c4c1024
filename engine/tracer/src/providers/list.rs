//! The list of providers.

/// Passes the list of providers to a macro: field name, variant, control-side type, and firing
/// type. Probe IDs follow the order of this list. A new provider goes before `fbt`, whose range is
/// large.
macro_rules! providers {
    ($then:ident) => {
        $then! {
            dtrace Dtrace crate::providers::dtrace::Dtrace, crate::providers::dtrace::Fired;
            proc Proc crate::providers::proc::Procs, crate::providers::proc::Fired;
            profile Profile crate::providers::profile::Profile, crate::providers::profile::Fired<'a>;
            syscall Syscall crate::providers::syscall::Syscalls, crate::providers::syscall::Fired<'a, A>;
            sdt Sdt crate::providers::sdt::Sdt, crate::providers::ByTracepoint;
            fbt Fbt crate::providers::fbt::Fbt<A>, crate::providers::fbt::Fired<'a, A>;
            pid Pid crate::providers::pid::Pid<A>, crate::providers::pid::Fired<'a, A>;
        }
    };
}
pub(crate) use providers;
