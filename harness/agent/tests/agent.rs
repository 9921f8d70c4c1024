//! Tests of the agent over a pseudo-terminal.
//!
//! [`Order::Wake`] is never sent: it would set the host's clock.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness_agent::{Channel, Decoder, End, Order, PIECE, VERSION, Word, encode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Timeout of any single step.
const TIMEOUT: Duration = Duration::from_secs(20);

/// An agent process and our end of its line.
struct Agent {
    process: Child,
    line: File,
    decoder: Decoder<Word>,
}

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    output: Vec<u8>,
    error: Vec<u8>,
    end: End,
}

fn ran(output: &str, error: &str, end: End) -> Ran {
    let (output, error) = (output.into(), error.into());
    Ran { output, error, end }
}

/// Our end of a new pseudo-terminal, and the path of the device at the other end.
fn line() -> (File, PathBuf) {
    let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&line).unwrap();
    unlockpt(&line).unwrap();
    let device = ptsname(&line, Vec::new()).unwrap();
    (File::from(line), device.into_string().unwrap().into())
}

impl Agent {
    fn start() -> Self {
        let (line, device) = line();
        Self::start_on(line, &device).greeted()
    }

    fn start_on(line: File, device: &Path) -> Self {
        let program = env!("CARGO_BIN_EXE_trapline-agent");
        let mut command = Command::new(program);
        let process = command.arg(device).stderr(Stdio::piped()).spawn();
        Self {
            process: process.unwrap(),
            line,
            decoder: Decoder::default(),
        }
    }

    fn greeted(mut self) -> Self {
        assert_eq!(self.next(), Word::Hello { version: VERSION });
        self
    }

    fn give(&mut self, order: &Order) {
        self.line.write_all(&encode(order)).unwrap();
    }

    fn exec(&mut self, channel: Channel, command: &str) {
        let command = command.into();
        self.give(&Order::Exec { channel, command });
    }

    fn input(&mut self, channel: Channel, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            let bytes = piece.to_vec();
            self.give(&Order::Input { channel, bytes });
        }
    }

    fn next(&mut self) -> Word {
        self.next_within(TIMEOUT).expect("a word in time")
    }

    fn next_within(&mut self, limit: Duration) -> Option<Word> {
        let end = Instant::now() + limit;
        loop {
            if let Some(word) = self.decoder.next_message() {
                return Some(word.expect("a word"));
            }
            let left = Timespec::try_from(end.checked_duration_since(Instant::now())?).unwrap();
            let mut line = [PollFd::new(&self.line, PollFlags::IN)];
            if poll(&mut line, Some(&left)).unwrap() > 0 {
                self.receive();
            }
        }
    }

    /// Reads in chunks as small as a UART's.
    fn receive(&mut self) {
        let mut bytes = [0; 100];
        let count = self.line.read(&mut bytes).unwrap();
        self.decoder.push(&bytes[..count]);
    }

    /// Collects a channel's output until it ends; no other channel may be active.
    fn finish(&mut self, on: Channel) -> Ran {
        let (mut output, mut error) = (Vec::new(), Vec::new());
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < TIMEOUT, "{on} does not end");
            match self.next() {
                Word::Output { channel, bytes } if channel == on => output.extend(bytes),
                Word::Error { channel, bytes } if channel == on => error.extend(bytes),
                Word::Ended { channel, end } if channel == on => {
                    return Ran { output, error, end };
                }
                word => panic!("{word:?} while {on} runs"),
            }
        }
    }

    fn run(&mut self, command: &str) -> Ran {
        self.exec(1, command);
        self.finish(1)
    }

    /// Sends an order and returns the `trouble` of its [`Word::Done`].
    fn ask(&mut self, order: &Order) -> Option<String> {
        self.give(order);
        match self.next() {
            Word::Done { trouble, .. } => trouble,
            word => panic!("{word:?} is no answer to {order:?}"),
        }
    }

    fn signal(&mut self, channel: Channel, number: i32) -> Option<String> {
        self.ask(&Order::Signal { channel, number })
    }

    fn write(&mut self, path: &Path, text: &str) -> Option<String> {
        let (path, text) = (path.display().to_string(), text.into());
        self.ask(&Order::Write {
            channel: 1,
            path,
            text,
        })
    }

    /// A numeric field of the agent's /proc/PID/status.
    fn status_field(&self, key: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.unwrap().parse().unwrap()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn both_streams_and_the_status_come_back() {
    let mut agent = Agent::start();
    let found = agent.run("echo out; echo err >&2; exit 3");
    assert_eq!(found, ran("out\n", "err\n", End::Status(3)));
    // The channel can be reused.
    assert_eq!(agent.run("true"), ran("", "", End::Status(0)));
}

#[test]
fn a_fatal_signal_is_distinguished_from_a_status() {
    let mut agent = Agent::start();
    assert_eq!(agent.run("kill -9 $$").end, End::Signal(9));
    assert_eq!(agent.run("exit 137").end, End::Status(137));
}

#[test]
fn a_command_that_cannot_start_says_why() {
    let mut agent = Agent::start();
    let End::NotStarted(why) = agent.run("a\0b").end else {
        panic!("it began");
    };
    assert!(why.contains("nul"), "{why}");
    assert_eq!(agent.run("true").end, End::Status(0));
}

#[test]
fn a_command_has_a_process_group_of_its_own() {
    let own = "read -r pid name state parent group rest </proc/$$/stat; test $group = $$";
    assert_eq!(Agent::start().run(own).end, End::Status(0));
}

#[test]
fn a_mebibyte_goes_in_and_comes_back() {
    let mut agent = Agent::start();
    let sent: Vec<u8> = (0..=250).cycle().take(1 << 20).collect();
    agent.exec(1, "cat");
    agent.input(1, &sent);
    agent.give(&Order::InputEnd { channel: 1 });
    let found = agent.finish(1);
    assert_eq!(found.end, End::Status(0));
    assert!(found.output == sent, "other bytes than were sent");
}

#[test]
fn input_to_a_process_that_does_not_read_is_dropped() {
    let mut agent = Agent::start();
    agent.exec(1, "exec <&-; echo closed; sleep 0.2");
    let closed = Word::Output {
        channel: 1,
        bytes: b"closed\n".to_vec(),
    };
    assert_eq!(agent.next(), closed);
    agent.input(1, &[7; 100_000]);
    assert_eq!(agent.finish(1), ran("", "", End::Status(0)));
    // Input after the end is discarded.
    agent.input(1, b"late");
    assert_eq!(agent.run("cat </dev/null").end, End::Status(0));
}

#[test]
fn unread_output_does_not_accumulate_in_the_agent() {
    const SIZE: usize = 5 << 20;
    let mut agent = Agent::start();
    let before = agent.status_field("VmRSS:");
    agent.exec(1, &format!("head -c {SIZE} /dev/zero"));
    sleep(Duration::from_millis(500));
    let grown = agent.status_field("VmRSS:") - before;
    assert!(grown < 1024, "{grown} KiB more");
    assert_eq!(agent.finish(1).output, vec![0; SIZE]);
}

#[test]
fn three_commands_run_concurrently() {
    let mut agent = Agent::start();
    for channel in 1..=3 {
        agent.exec(channel, "read -r word; echo $word");
    }
    for channel in [3, 1, 2] {
        agent.input(channel, format!("word {channel}\n").as_bytes());
        let said = format!("word {channel}\n");
        assert_eq!(agent.finish(channel), ran(&said, "", End::Status(0)));
    }
}

#[test]
fn a_busy_writer_does_not_starve_another() {
    let mut agent = Agent::start();
    agent.exec(1, "exec yes");
    agent.exec(2, "echo heard; exec 2>&-; sleep 0.1");
    let is_end = |word: &Word| matches!(word, Word::Ended { channel: 2, .. });
    let words: Vec<Word> = std::iter::repeat_with(|| agent.next())
        .take_while(|word| !is_end(word))
        .collect();
    let heard = Word::Output {
        channel: 2,
        bytes: b"heard\n".to_vec(),
    };
    assert!(words.contains(&heard));
}

#[test]
fn a_background_process_does_not_delay_the_end() {
    let mut agent = Agent::start();
    let found = agent.run("sleep 60 & echo $!");
    assert_eq!(found.end, End::Status(0));
    let kill = format!("kill {}", String::from_utf8(found.output).unwrap());
    assert_eq!(agent.run(&kill).end, End::Status(0));
}

#[test]
fn output_of_a_background_process_is_cut_off() {
    let mut agent = Agent::start();
    let found = agent.run("echo first; yes & sleep 0.1; echo $! >&2");
    assert_eq!(found.end, End::Status(0));
    assert!(found.output.starts_with(b"first\ny\ny\n"));
    let pid = String::from_utf8(found.error).unwrap();
    let gone = format!("while kill -0 {}; do sleep 0.01; done 2>&-", pid.trim());
    assert_eq!(agent.run(&gone), ran("", "", End::Status(0)));
}

#[test]
fn a_signal_reaches_the_process() {
    let mut agent = Agent::start();
    agent.exec(
        1,
        "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done",
    );
    assert!(matches!(agent.next(), Word::Output { .. }));
    assert_eq!(agent.signal(1, 15), None);
    assert_eq!(agent.finish(1).end, End::Status(7));
}

#[test]
fn an_undeliverable_signal_is_an_error() {
    let mut agent = Agent::start();
    let trouble = agent.signal(4, 15);
    assert_eq!(trouble.as_deref(), Some("channel 4: nothing runs on it"));
    agent.exec(4, "cat");
    let trouble = agent.signal(4, 4000);
    assert_eq!(trouble.as_deref(), Some("channel 4: no signal 4000"));
    agent.give(&Order::InputEnd { channel: 4 });
    assert_eq!(agent.finish(4).end, End::Status(0));
    assert!(agent.signal(4, 15).is_some());
}

#[test]
fn a_channel_in_use_takes_no_second_command() {
    let mut agent = Agent::start();
    agent.exec(1, "cat");
    let command = "echo other".into();
    let trouble = agent.ask(&Order::Exec {
        channel: 1,
        command,
    });
    assert_eq!(trouble.as_deref(), Some("channel 1 is in use"));
    agent.give(&Order::InputEnd { channel: 1 });
    assert_eq!(agent.finish(1), ran("", "", End::Status(0)));
}

#[test]
fn a_write_replaces_the_contents() {
    let mut agent = Agent::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, "much more than that").unwrap();
    assert_eq!(agent.write(file.path(), "1\n"), None);
    assert_eq!(fs::read_to_string(&file).unwrap(), "1\n");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let mut agent = Agent::start();
    let trouble = agent.write(Path::new("/no/such/file"), "1\n");
    let why = "/no/such/file: No such file or directory (os error 2)";
    assert_eq!(trouble.as_deref(), Some(why));
    let trouble = agent.write(Path::new("/dev/full"), "1\n");
    let why = "/dev/full: No space left on device (os error 28)";
    assert_eq!(trouble.as_deref(), Some(why));
}

#[test]
fn garbage_is_logged_and_the_next_order_obeyed() {
    let mut agent = Agent::start();
    agent.line.write_all(b"\0login: \xff\x00").unwrap();
    assert_eq!(agent.run("echo kept"), ran("kept\n", "", End::Status(0)));
    agent.process.kill().unwrap();
    let mut console = String::new();
    let mut stderr = agent.process.stderr.take().unwrap();
    stderr.read_to_string(&mut console).unwrap();
    let logged = "trapline-agent: 8 bytes received that are not a message\n";
    assert!(console.ends_with(logged), "{console}");
}

#[test]
fn the_line_may_appear_later() {
    let folder = tempfile::tempdir().unwrap();
    let (line, device) = line();
    let path = folder.path().join("line");
    let agent = Agent::start_on(line, &path);
    sleep(Duration::from_millis(100));
    symlink(device, &path).unwrap();
    agent.greeted();
}

#[test]
fn a_hung_up_line_is_retried_at_intervals() {
    let mut agent = Agent::start();
    let switches = "voluntary_ctxt_switches:";
    // A hung-up pty does not come back, so all there is to see is that the agent survives.
    agent.line = File::open("/dev/null").unwrap();
    sleep(Duration::from_millis(600));
    let tries = agent.status_field(switches);
    sleep(Duration::from_millis(1000));
    let tries = agent.status_field(switches) - tries;
    assert!((2..=20).contains(&tries), "{tries} tries in a second");
}

#[test]
fn without_a_line_there_is_no_agent() {
    let program = env!("CARGO_BIN_EXE_trapline-agent");
    let status = Command::new(program).stderr(Stdio::null()).status();
    assert_eq!(status.unwrap().code(), Some(2));
    let refused = Command::new(program).arg("/").output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        said.ends_with("cannot open the line /: Is a directory (os error 21)\n"),
        "{said}"
    );
}
