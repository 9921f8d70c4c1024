//! An interactive shell in a guest, with the module loaded.
//!
//! The terminal goes over ssh, so the guest boots with a network. Everything else goes over the
//! line, as in a job.

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
/// Sleep while only the guest can have something to transfer.
const PAUSE: Duration = Duration::from_millis(20);
const MODULE_LIMIT: Duration = Duration::from_secs(30);
/// Time for the guest's ssh server to come up.
const LOGIN_LIMIT: Duration = Duration::from_secs(60);
/// Time for the first connection attempt; doubled for each further one.
const FIRST_PATIENCE: Duration = Duration::from_millis(150);
/// Time for one attempt at most.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// A guest with an ssh session.
struct Session {
    guest: Guest,
    ssh: Ssh,
}

/// Boots the guest, loads the module and connects the terminal to a shell. Returns the shell's exit
/// status.
pub fn run(tree: &Tree, image: &Image) -> Result<i32, Stop> {
    let folder = tree.guest_dir(&image.guest).join("shell");
    let evidence = Evidence::cleared(folder)?;
    let machine = image
        .machine()
        .ok_or_else(|| HostError::Qemu(format!("unknown machine `{}`", image.machine)))?;
    let progress = Progress::begin(&image.guest);
    progress.now("boots");
    let mut guest = Guest::start(machine, image, Launch::Networked, &evidence)?;
    guest.wake()?;
    load(&mut guest, image)?;
    let ssh = connect(&mut guest, &image.ssh)?;
    drop(progress);
    let mut session = Session { guest, ssh };
    let outcome = session.run_shell();
    session.guest.quit();
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

/// Connects to the guest's ssh server, retrying until it is up.
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

/// One attempt; `None` if the server sent nothing for as long as `patience`.
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

impl Session {
    fn run_shell(&mut self) -> Result<i32, Stop> {
        let mut channel = self.retry(Ssh::open)?;
        let is_terminal = io::stdin().is_terminal();
        if is_terminal {
            let term = std::env::var("TERM").unwrap_or_else(|_| "vt100".to_owned());
            self.retry(|ssh| ssh.terminal(&mut channel, &term, size()))?;
        }
        self.retry(|ssh| ssh.exec(&mut channel, "exec bash -l"))?;
        let raw = is_terminal.then(Raw::enter).transpose().map_err(terminal)?;
        let outcome = self.copy(&mut Exec::new(channel));
        drop(raw);
        outcome
    }

    /// Repeats `step` until it returns a value.
    fn retry<T>(&mut self, mut step: impl FnMut(&Ssh) -> Poll<T>) -> Result<T, Stop> {
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

    /// Reports a broken connection, unless there is a better explanation.
    fn lost(&mut self, error: &SshError) -> Stop {
        let line = error.to_string();
        let trouble = Trouble::SshLost;
        let lost = Stop::Guest(Finding { trouble, line });
        self.guest.watch().explained(lost)
    }

    /// Copies bytes both ways until the shell ends.
    fn copy(&mut self, shell: &mut Exec) -> Result<i32, Stop> {
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
                self.retry(|_| shell.resize(known))?;
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

    /// Polls stdin and the socket; true if stdin has input.
    fn has_input(&self) -> bool {
        let stdin = io::stdin();
        let mut both = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(self.ssh.socket(), PollFlags::IN),
        ];
        // A signal only shortens the sleep.
        poll(&mut both, Some(&TICK)).ok();
        !both[0].revents().is_empty()
    }
}

/// Sends stdin to the shell; false at end of file.
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

/// The terminal's columns and rows, 80x24 if unknown.
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

/// Raw mode; restored on drop.
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
        // Fails only if the terminal is gone.
        tcsetattr(io::stdin(), OptionalActions::Now, &self.0).ok();
    }
}
