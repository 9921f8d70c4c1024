//! A person in a guest: the user's terminal on a shell there, with the module loaded.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::error::HostError;
use crate::evidence::Evidence;
use crate::guest::{ASK_LIMIT, Guest, Stop, Watch, quote};
use crate::image::Image;
use crate::progress::Progress;
use crate::ssh::Exec;
use crate::tree::Tree;

const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// How long to sleep at once when only the guest can have something to say.
const PAUSE: Duration = Duration::from_millis(100);
const MODULE_LIMIT: Duration = Duration::from_secs(30);

/// Boots the guest, loads the module, and hands the terminal over until the shell there ends.
pub fn run(tree: &Tree, image: &Image) -> Result<(), Stop> {
    let folder = tree.guest_dir(&image.guest).join("shell");
    let evidence = Evidence::cleared(folder)?;
    let machine = image
        .machine()
        .ok_or_else(|| HostError::Qemu(format!("no machine `{}` is known", image.machine)))?;
    let progress = Progress::begin(&image.guest);
    progress.now("boots");
    let watch = Watch::start(machine, image, &evidence)?;
    let mut guest = Guest::up(watch, &image.ssh, &evidence).map_err(|(_, stop)| stop)?;
    drop(progress);
    load(&mut guest, image)?;
    let outcome = converse(&mut guest);
    guest.quit();
    outcome
}

fn load(guest: &mut Guest, image: &Image) -> Result<(), Stop> {
    let answer = guest.run(&format!("insmod {}", quote(&image.module)), MODULE_LIMIT)?;
    if answer.is_good() {
        eprintln!("{}: trapline is loaded; `exit` ends the guest", image.guest);
    } else {
        eprintln!(
            "{}: the module is not loaded: {}",
            image.guest,
            answer.stderr.trim()
        );
    }
    Ok(())
}

fn converse(guest: &mut Guest) -> Result<(), Stop> {
    let mut channel = guest.channel()?;
    let is_terminal = io::stdin().is_terminal();
    if is_terminal {
        let term = std::env::var("TERM").unwrap_or_else(|_| "vt100".to_owned());
        guest.insist(ASK_LIMIT, |ssh| ssh.terminal(&mut channel, &term, size()))?;
    }
    guest.insist(ASK_LIMIT, |ssh| ssh.exec(&mut channel, "exec bash -l"))?;
    let raw = is_terminal.then(Raw::enter).transpose().map_err(terminal)?;
    let outcome = shuttle(guest, &mut Exec::new(channel));
    drop(raw);
    outcome
}

/// Carries bytes both ways until the shell in the guest ends.
fn shuttle(guest: &mut Guest, shell: &mut Exec) -> Result<(), Stop> {
    let mut known = size();
    let mut is_open = true;
    while shell.ending().is_none() {
        if !is_open {
            guest.ssh().rest(PAUSE);
        } else if has_input(guest) {
            is_open = forward(shell).map_err(terminal)?;
        }
        if size() != known {
            known = size();
            guest.insist(ASK_LIMIT, |_| shell.resize(known))?;
        }
        guest.turn(shell)?;
        show(shell).map_err(terminal)?;
    }
    Ok(())
}

/// Sleeps until there is something to carry; true if it is the user's.
fn has_input(guest: &Guest) -> bool {
    let stdin = io::stdin();
    let mut both = [
        PollFd::new(&stdin, PollFlags::IN),
        PollFd::new(guest.ssh().socket(), PollFlags::IN),
    ];
    // An interrupted sleep is only a short one.
    poll(&mut both, Some(&TICK)).ok();
    !both[0].revents().is_empty()
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
