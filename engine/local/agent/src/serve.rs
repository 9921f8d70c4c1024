//! The agent: from its first instruction to its end.

use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use core::time::Duration;

use engine_abi::channel::{DESCRIPTORS, Left, Start};
use engine_abi::{Command, PidProbes, PidRange};
use engine_tracer::{ConsumerId, Tracer, UserPatch};
use syscalls::Errno;
use zerocopy::FromBytes;

use crate::arch::frame::{Native, Regs};
use crate::cell;
use crate::channel::{self, Closed};
use crate::detour::Form;
use crate::machine::{self, Process};
use crate::sys::{self, Fd};
use crate::{code, handler, jumps, recorded, text, timers, trapped};

type Engine = Tracer<Native, Process>;

/// How often the agent looks for threads that wait, while it watches a dynamic linker. They cannot
/// wake it: they have no descriptor in common.
const LOOK: Duration = Duration::from_millis(1);

/// How long the agent waits for the first question, and how often it looks whether the command has ended.
const UNCLAIMED: Duration = Duration::from_secs(30);
const TURN: Duration = Duration::from_millis(20);

/// The agent. It ends with its channel, when it has disarmed everything.
pub extern "C" fn serve(start: &Start, left: &mut Left) -> ! {
    jumps::want(start.has_jumps != 0);
    if start.may_recycle != 0 {
        jumps::recycle();
        text::recycle();
    }
    sys::set_name(b"trapline\0\0\0\0\0\0\0\0");
    sys::leave_session();
    sys::close_all();
    let mut is_unused = true;
    if let (Ok([requests, theirs]), Ok([opened, too])) = (sys::socket_pair(), sys::socket_pair())
        && [theirs, too].map(|fd| fd.0) == DESCRIPTORS
        && code::open()
        && let Ok(tracer) = Tracer::new(Process)
    {
        left.stage.store(Left::IS_OPEN, Ordering::Release);
        machine::begin(start);
        cell::init(tracer);
        if let Some(tracer) = cell::tracer() {
            trace(tracer, [requests, opened], start.command);
        }
        // The handler of a trap that stays has to find its site.
        is_unused = !code::is_kept() && cell::clear();
    }
    leave(left, is_unused);
    sys::exit()
}

/// Leaves word for the next agent in this process. If a thread may be in our code, that is not used again.
fn leave(left: &mut Left, is_unused: bool) {
    let ranges = jumps::regions().into_iter().chain(text::arenas());
    let mut places = left.code.iter_mut();
    let mut are_all_told = is_unused;
    for range in ranges {
        match places.next() {
            Some(place) => *place = [range.start as u64, range.end as u64],
            None => are_all_told = false,
        }
        left.count = left.count.wrapping_add(1);
    }
    if !are_all_told {
        left.count = u32::MAX;
    }
    let stage = match code::is_kept() {
        true => Left::IS_KEPT,
        false => Left::HAS_ENDED,
    };
    left.stage.store(stage, Ordering::Release);
}

fn trace(tracer: &'static Engine, [requests, opened]: [Fd; 2], command: u32) {
    let (Ok(consumer), true) = (tracer.open(), handler::install()) else {
        return;
    };
    let mut agent = Agent {
        tracer,
        consumer,
        requests,
        opened,
        is_watching: false,
    };
    // Threads that run must not block the signal once the command has seen that they do not.
    if !jumps::are_wanted() {
        let _ = jumps::guard();
    }
    if is_claimed(requests, command) {
        agent.answer_all();
    }
    tracer.close(consumer);
    // A thread that blocks the signal of a trap that stays would be killed by it.
    if !code::is_kept() {
        jumps::unguard();
    }
    trapped::wait();
    if !code::is_kept() {
        handler::remove();
    }
}

/// Waits for the first question. The command may have ended before it took its ends, and this process has both.
fn is_claimed(requests: Fd, command: u32) -> bool {
    let handle = match sys::handle_of(command) {
        Err(Errno::ESRCH) => return false,
        handle => handle.ok(),
    };
    let has_ended = || match handle {
        Some(handle) => sys::poll(handle, Some(Duration::ZERO)),
        None => false,
    };
    let mut left = UNCLAIMED;
    let mut is_claimed = false;
    while !is_claimed && !left.is_zero() && !has_ended() {
        is_claimed = sys::poll(requests, Some(TURN));
        left = left.saturating_sub(TURN);
    }
    handle.into_iter().for_each(sys::close);
    is_claimed
}

/// What is done at the hits of sites: they are only counted where they may be fired later, or only recorded.
fn forms(patches: &[UserPatch]) -> Vec<Form> {
    let Some(tracer) = cell::tracer() else {
        return Vec::new();
    };
    let may_count = !tracer.may_user_exit();
    let may_record = recorded::is_possible();
    let form = |patch: &UserPatch| match patch.address {
        site if may_count && tracer.is_tally(site) => Form::Counted,
        site if may_record => match tracer.plan(site) {
            Some(plan) => Form::Recorded(recorded::words(&plan)),
            None => Form::Fired,
        },
        _ => Form::Fired,
    };
    patches.iter().map(form).collect()
}

struct Agent {
    tracer: &'static Engine,
    consumer: ConsumerId,
    requests: Fd,
    opened: Fd,
    /// Whether threads may wait, as a dynamic linker is watched.
    is_watching: bool,
}

impl Agent {
    /// Fires the hits that were only counted.
    fn fire_tallies(&self) {
        for (site, hits) in jumps::take_tallies() {
            self.tracer.user_hits(site, &Regs::default(), hits);
        }
    }

    /// Answers questions until the command closes the channel.
    fn answer_all(&mut self) {
        let mut is_alone = true;
        while self.answer_next().is_ok() {
            // The command has its ends: only they keep the channel open from now on.
            if core::mem::take(&mut is_alone) {
                DESCRIPTORS.iter().for_each(|fd| sys::close(Fd(*fd)));
            }
        }
    }

    /// Waits for a question, and answers it; meanwhile fires timers.
    fn answer_next(&mut self) -> Result<(), Closed> {
        loop {
            while let Some(timer) = timers::take_due() {
                self.fire_tallies();
                self.tracer.tick(timer, 0, 0);
            }
            let look = self.is_watching.then_some(LOOK);
            while let Some(thread) = self.tracer.opened(self.consumer) {
                // What is new may block the signal of the trap that this thread has hit.
                let _ = jumps::guard();
                channel::report(self.opened, &thread)?;
            }
            let longest = timers::until_next().into_iter().chain(look).min();
            if sys::poll(self.requests, longest) {
                break;
            }
        }
        let question = channel::receive(self.requests)?;
        self.fire_tallies();
        question.answer(self.requests, |number, body, memory| {
            self.is_watching |= number == Command::PidWatch.number();
            if let Ok((request, _)) = PidProbes::ref_from_prefix(body)
                && [Command::PidProbes, Command::PidWatch]
                    .iter()
                    .any(|it| it.number() == number)
            {
                jumps::add_function(request.address, request.size);
            }
            if let Ok((range, _)) = PidRange::ref_from_prefix(body)
                && number == Command::PidUnmapped.number()
            {
                let start = range.address as usize;
                jumps::forget(&(start..start.saturating_add(range.size as usize)));
            }
            let mut request = || self.tracer.ioctl(self.consumer, number, body, memory);
            // The command resumes the process later.
            let requested = match number == Command::Go.number() {
                true => jumps::while_stopped(forms, request),
                false => request(),
            };
            match requested {
                Ok(()) => 0,
                Err(errno) => errno as u32,
            }
        })
    }
}
