//! A person in a guest: the user's terminal on a shell there, with the module loaded.
//!
//! A terminal is what ssh is good at, so the guest boots with a network for it. Everything else goes over
//! the line, as in a job.

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::error::HostError;
use crate::guest::command_line::Launch;
use crate::guest::image::{Image, Keys};
use crate::guest::module;
use crate::guest::ssh::{Connecting, Exec, Poll, Ssh, SshError};
use crate::guest::{ASK_LIMIT, Guest, Stop};
use crate::judge::health::{Finding, Trouble};
use crate::judge::transcript::Ending;
use crate::report::evidence::Evidence;
use crate::run::progress::Progress;
use crate::scenario::Module;
use crate::tree::Tree;

const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// How long to sleep at once when only the guest can have something to say.
const PAUSE: Duration = Duration::from_millis(20);
const MODULE_LIMIT: Duration = Duration::from_secs(30);
/// How long the guest's ssh server may take.
const LOGIN_LIMIT: Duration = Duration::from_secs(60);
/// How long a first attempt to connect is kept up before the next.
const FIRST_PATIENCE: Duration = Duration::from_millis(150);
/// How long the last ones are.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// A guest with a way in for people.
struct Visit {
    guest: Guest,
    ssh: Ssh,
}

/// Boots the guest, loads the module, and hands the terminal over until the shell there ends, whose
/// exit status it returns.
pub fn run(tree: &Tree, image: &Image) -> Result<i32, Stop> {
    let folder = tree.guest_dir(&image.guest).join("shell");
    let evidence = Evidence::cleared(folder)?;
    let machine = image
        .machine()
        .ok_or_else(|| HostError::Qemu(format!("no machine `{}` is known", image.machine)))?;
    let progress = Progress::begin(&image.guest);
    progress.now("boots");
    let mut guest = Guest::start(machine, image, Launch::Networked, &evidence)?;
    guest.wake()?;
    load(&mut guest, image)?;
    let ssh = connect(&mut guest, &image.ssh)?;
    drop(progress);
    let mut visit = Visit { guest, ssh };
    let outcome = visit.converse();
    visit.guest.quit();
    outcome
}

fn load(guest: &mut Guest, image: &Image) -> Result<(), Stop> {
    let answer = guest.run(&module::load(image, Module::Plain, None), MODULE_LIMIT)?;
    if answer.is_good() {
        eprintln!("{}: trapline is loaded; `exit` ends the guest", image.guest);
    } else {
        let why = answer.stderr.trim();
        eprintln!("{}: the module is not loaded: {why}", image.guest);
    }
    Ok(())
}

/// Connects to the guest's ssh server, once it is there.
pub fn connect(guest: &mut Guest, keys: &Keys) -> Result<Ssh, Stop> {
    let port = guest.watch().ssh_port()?;
    let mut last = String::new();
    let end = Instant::now() + LOGIN_LIMIT;
    let mut patience = FIRST_PATIENCE;
    while Instant::now() < end {
        match attempt(guest, port, keys, patience, end)? {
            Ok(Some(ssh)) => return Ok(ssh),
            Ok(None) => patience = (patience * 2).min(LAST_PATIENCE),
            Err(SshError::WrongHostKey) => {
                return Err(HostError::Monitor(SshError::WrongHostKey.to_string()).into());
            }
            Err(error) => {
                last = format!(" (the last attempt: {error})");
                thread::sleep(PAUSE);
            }
        }
    }
    let line = format!("no ssh after {} s{last}", LOGIN_LIMIT.as_secs());
    let trouble = Trouble::BootTimeOut;
    Err(Stop::Guest(Finding { trouble, line }))
}

/// One attempt; `None` when nobody spoke for as long as `patience` lasted.
fn attempt(
    guest: &mut Guest,
    port: u16,
    keys: &Keys,
    patience: Duration,
    end: Instant,
) -> Result<Poll<Ssh>, Stop> {
    let mut connecting = match Connecting::start(port, keys) {
        Ok(connecting) => connecting,
        Err(error) => return Ok(Err(error)),
    };
    let unheard = Instant::now() + patience;
    loop {
        guest.turn()?;
        match connecting.step(keys) {
            Ok(true) => return Ok(Ok(Some(connecting.finish()))),
            Ok(false) => connecting.rest(PAUSE),
            Err(error) => return Ok(Err(error)),
        }
        let give_up = if connecting.is_heard() { end } else { unheard };
        if Instant::now() > give_up {
            return Ok(Ok(None));
        }
    }
}

impl Visit {
    fn converse(&mut self) -> Result<i32, Stop> {
        let mut channel = self.insist(Ssh::open)?;
        let is_terminal = io::stdin().is_terminal();
        if is_terminal {
            let term = std::env::var("TERM").unwrap_or_else(|_| "vt100".to_owned());
            self.insist(|ssh| ssh.terminal(&mut channel, &term, size()))?;
        }
        self.insist(|ssh| ssh.exec(&mut channel, "exec bash -l"))?;
        let raw = is_terminal.then(Raw::enter).transpose().map_err(terminal)?;
        let outcome = self.shuttle(&mut Exec::new(channel));
        drop(raw);
        outcome
    }

    /// Repeats `step` until it is done.
    fn insist<T>(&mut self, mut step: impl FnMut(&Ssh) -> Poll<T>) -> Result<T, Stop> {
        let end = Instant::now() + ASK_LIMIT;
        while Instant::now() < end {
            self.guest.turn()?;
            match step(&self.ssh) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => self.ssh.rest(PAUSE),
                Err(error) => return Err(self.lost(&error)),
            }
        }
        let line = format!("no answer within {} s", ASK_LIMIT.as_secs());
        let trouble = Trouble::Hang;
        Err(Stop::Guest(Finding { trouble, line }))
    }

    /// A broken connection is the least of the explanations for itself.
    fn lost(&mut self, error: &SshError) -> Stop {
        let line = error.to_string();
        let trouble = Trouble::SshLost;
        let lost = Stop::Guest(Finding { trouble, line });
        self.guest.watch().explained(lost)
    }

    /// Carries bytes both ways until the shell in the guest ends.
    fn shuttle(&mut self, shell: &mut Exec) -> Result<i32, Stop> {
        let mut known = size();
        let mut is_open = true;
        loop {
            if !is_open {
                self.ssh.rest(PAUSE);
            } else if self.has_input() {
                is_open = forward(shell).map_err(terminal)?;
            }
            if size() != known {
                known = size();
                self.insist(|_| shell.resize(known))?;
            }
            self.guest.turn()?;
            shell.pump().map_err(|error| self.lost(&error))?;
            show(shell).map_err(terminal)?;
            match shell.ending() {
                None => {}
                Some(Ending::Status(code)) => return Ok(*code),
                Some(_) => return Ok(1),
            }
        }
    }

    /// Sleeps until there is something to carry; true if it is the user's.
    fn has_input(&self) -> bool {
        let stdin = io::stdin();
        let mut both = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(self.ssh.socket(), PollFlags::IN),
        ];
        // An interrupted sleep is only a short one.
        poll(&mut both, Some(&TICK)).ok();
        !both[0].revents().is_empty()
    }
}

/// False once the user's side is closed.
fn forward(shell: &mut Exec) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    let count = rustix::io::read(io::stdin(), &mut buffer)?;
    if count == 0 {
        shell.send_end();
        return Ok(false);
    }
    shell.send(&buffer[..count]);
    Ok(true)
}

fn show(shell: &mut Exec) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(&shell.stdout)?;
    shell.stdout.clear();
    out.flush()?;
    let mut err = io::stderr().lock();
    err.write_all(&shell.stderr)?;
    shell.stderr.clear();
    Ok(())
}

/// The terminal's columns and rows.
fn size() -> (u32, u32) {
    match tcgetwinsize(io::stdin()) {
        Ok(size) if size.ws_col > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

fn terminal(cause: io::Error) -> Stop {
    Stop::Host(HostError::File {
        action: "use",
        path: "the terminal".into(),
        cause,
    })
}

/// The terminal in raw mode, for as long as this lives.
struct Raw(Termios);

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        tcsetattr(io::stdin(), OptionalActions::Now, &self.0).ok();
    }
}
