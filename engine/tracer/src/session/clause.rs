//! Runs the clauses of a session for a firing. All of it is fire path.

use core::sync::atomic::Ordering;

use engine_abi::RecordHeader;
use engine_dvm::{Brief, Failure, Memory};
use engine_isa::Arch;

use super::env::Run;
use super::{Session, Workspace};
use crate::fire::firing::{Fired, Firing};
use crate::fire::guard::Held;
use crate::platform::{Platform, TryLock};
use crate::probe::ecb::Enabling;
use crate::providers::dtrace::{self, DtraceProbe};

impl<P: Platform> Session<P> {
    /// Runs the clause of an ECB if the session's stage admits it; returns whether it ran. `held`
    /// is what the CPU's guard protects. Inlined since a call would spill about as much as the brief
    /// forms do.
    #[inline(always)]
    pub fn fire<A: Arch<Regs = P::Regs>>(
        &self,
        firing: &Firing<'_, A, P>,
        held: &mut Held,
        ecb: Enabling,
    ) -> bool {
        if !self.activity.admits(firing.fired.dtrace_probe()) {
            return false;
        }
        match self.briefs.get(ecb.clause as usize) {
            Some(Some(Brief::Mark)) => self.mark(firing, ecb.epid),
            Some(Some(Brief::Count(number))) => self.count(firing.cpu, *number),
            _ => return self.run(firing, held, ecb),
        }
        true
    }

    /// Runs the clause of an ECB, which [is a tally](engine_dvm::Clause::is_tally), for a firing of many
    /// hits.
    pub fn fire_times<A: Arch<Regs = P::Regs>>(
        &self,
        firing: &Firing<'_, A, P>,
        held: &mut Held,
        ecb: Enabling,
    ) -> bool {
        self.activity.admits_late() && self.run(firing, held, ecb)
    }

    /// Records only that the clause ran.
    #[inline(always)]
    fn mark<A: Arch<Regs = P::Regs>>(&self, firing: &Firing<'_, A, P>, epid: u32) {
        let header = RecordHeader {
            epid,
            size: size_of::<RecordHeader>() as u32,
            timestamp: firing.now(),
        };
        if let Some(ring) = self.rings.of(firing.cpu)
            && let Some(reservation) = ring.open(header, self.is_privileged(firing))
        {
            ring.close(reservation);
        }
    }

    /// Runs the clause of an ECB in the interpreter; returns whether it ran.
    #[inline(never)]
    fn run<A: Arch<Regs = P::Regs>>(
        &self,
        firing: &Firing<'_, A, P>,
        held: &mut Held,
        ecb: Enabling,
    ) -> bool {
        let Some(workspace) = self.workspaces.get(firing.cpu) else {
            return false;
        };
        let ran = workspace.try_with(|workspace| {
            if firing.begins(self) {
                workspace.locals.begin();
                workspace.tokens.iter_mut().take(1).for_each(|it| *it = 0);
            }
            if let Err(failure) = self.run_clause(firing, workspace, held, ecb) {
                self.fail(firing, workspace, held, (ecb.epid, failure));
            }
        });
        ran.is_some()
    }

    fn run_clause<A: Arch<Regs = P::Regs>>(
        &self,
        firing: &Firing<'_, A, P>,
        workspace: &mut Workspace,
        held: &mut Held,
        ecb: Enabling,
    ) -> Result<(), Failure> {
        let Some(clause) = self.program.clause(ecb.clause) else {
            return Ok(());
        };
        let memory = Memory {
            registers: &mut workspace.registers,
            scratch: &mut workspace.scratch,
            heap: &mut workspace.heap,
            tokens: &mut workspace.tokens,
            key: &mut workspace.key,
        };
        let ecb = (ecb.epid, clause.record_size());
        let mut run = Run::new(firing, self, &mut workspace.locals, held, ecb);
        engine_dvm::run(clause, memory, &mut run)?;
        run.close();
        Ok(())
    }

    /// Handles a fault that ended a clause: counts it and fires `ERROR`. A fault of an `ERROR`
    /// clause is only counted.
    #[cold]
    fn fail<A: Arch<Regs = P::Regs>>(
        &self,
        firing: &Firing<'_, A, P>,
        workspace: &mut Workspace,
        held: &mut Held,
        (epid, failure): (u32, Failure),
    ) {
        self.errors.fetch_add(firing.times, Ordering::Relaxed);
        // DTrace's arg0 is its own business, too: here it tells the command which clause it was.
        let arguments = [
            epid.into(),
            firing.id.into(),
            failure.action.into(),
            failure.instruction.into(),
            failure.fault.code().into(),
            failure.address,
        ];
        let error = Fired::Dtrace(dtrace::Fired {
            probe: DtraceProbe::Error,
            arguments,
        });
        let error = firing.raise(&error);
        if !self.activity.admits(Some(DtraceProbe::Error)) {
            return;
        }
        for &ecb in self.dtrace_ecbs(DtraceProbe::Error) {
            if self.run_clause(&error, workspace, held, ecb).is_err() {
                self.errors.fetch_add(1, Ordering::Relaxed);
                self.error_drops.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn count(&self, cpu: usize, number: u32) {
        if let Some(aggregations) = self.aggregations.get(cpu) {
            aggregations.count(number);
        }
    }
}
