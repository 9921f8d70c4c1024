use std::io::Write;

use harness_agent::End;

use super::*;

fn pair() -> (Line, UnixStream) {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    (Line::new(ours).expect("a line"), theirs)
}

fn say(guest: &mut UnixStream, word: &Word) {
    guest.write_all(&encode(word)).expect("sent");
}

/// Polls until `is_so`, or until the line fails.
fn turn(line: &mut Line, is_so: impl Fn(&Line) -> bool) -> Result<(), LineError> {
    while !is_so(line) {
        line.turn()?;
        line.rest(RETRY);
    }
    Ok(())
}

#[test]
fn output_arrives_on_its_channel() {
    let (mut line, mut guest) = pair();
    let (a, b) = (line.exec("true"), line.exec("false"));
    let bytes = b"out".to_vec();
    say(&mut guest, &Word::Hello { version: VERSION });
    say(
        &mut guest,
        &Word::Output {
            channel: a.0,
            bytes,
        },
    );
    let end = End::Signal(11);
    say(&mut guest, &Word::Ended { channel: b.0, end });
    turn(&mut line, |line| line.is_over(b)).expect("all is well");
    assert!(line.is_up() && !line.is_over(a));
    assert_eq!(line.received(a).stdout, b"out");
    let died = line.received(b).ending.as_ref().map(ToString::to_string);
    assert_eq!(died.as_deref(), Some("SIGSEGV"));
}

#[test]
fn next_burst_waits_for_the_last_one() {
    let (line, mut guest) = pair();
    let mut line = line.in_bursts(4);
    line.exec("true");
    let whole = line.unsent.len();
    for left in (0..whole).rev().step_by(4) {
        let unsent = left.saturating_sub(3);
        for _ in 0..3 {
            line.turn().expect("all is well");
            assert_eq!(line.unsent.len(), unsent);
        }
        assert!(line.is_full());
        line.drained();
    }
    let mut taken = vec![0; whole];
    guest.read_exact(&mut taken).expect("all of it");
}

#[test]
fn excessive_output_is_cut_and_killed_once() {
    let (mut line, mut guest) = pair();
    let exec = line.exec("yes");
    let word = Word::Error {
        channel: exec.0,
        bytes: vec![b'y'; PIECE],
    };
    for _ in 0..MOST / PIECE + 3 {
        say(&mut guest, &word);
    }
    turn(&mut line, |line| line.received(exec).has_overflowed).expect("all is well");
    assert_eq!(line.received(exec).stderr.len(), MOST);
    line.turn().expect("all is well");
    assert!(line.take_overflow() && !line.take_overflow());
    guest.set_nonblocking(true).expect("a socket");
    let mut sent = Vec::new();
    guest.read_to_end(&mut sent).expect_err("nothing more yet");
    let mut orders = Decoder::<Order>::default();
    orders.push(&sent);
    let orders = std::iter::from_fn(|| orders.next_message());
    let kill = Order::Signal {
        channel: exec.0,
        number: KILL,
    };
    let kills = orders.filter(|order| order.as_ref() == Ok(&kill)).count();
    assert_eq!(kills, 1);
}

#[test]
fn failed_line_reports_its_cause() {
    let trouble = |bytes: &[u8]| {
        let (mut line, mut guest) = pair();
        line.was_up();
        guest.write_all(bytes).expect("sent");
        drop(guest);
        let trouble = turn(&mut line, |_| false).expect_err("no use");
        trouble.to_string()
    };
    assert_eq!(
        trouble(b"login:\0"),
        "6 bytes received that are not a message"
    );
    let hello = encode(&Word::Hello { version: VERSION });
    assert_eq!(trouble(&hello), "the agent restarted");
    let behind_noise = [b"\xff\0", hello.as_slice()].concat();
    assert_eq!(trouble(&behind_noise), "the agent restarted");
    let other = encode(&Word::Hello { version: 0 });
    assert!(trouble(&other).starts_with("the guest's agent has protocol version 0, expected"));
    assert_eq!(trouble(b""), "QEMU closed the line");
}
