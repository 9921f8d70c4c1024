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

/// Turns until `is_so` or until the line is of no use.
fn turn(line: &mut Line, is_so: impl Fn(&Line) -> bool) -> Result<(), LineError> {
    while !is_so(line) {
        line.turn()?;
        line.rest(RETRY);
    }
    Ok(())
}

#[test]
fn what_is_said_on_a_channel_is_heard_there() {
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
    assert_eq!(line.heard(a).stdout, b"out");
    let died = line.heard(b).ending.as_ref().map(ToString::to_string);
    assert_eq!(died.as_deref(), Some("SIGSEGV"));
}

#[test]
fn no_sip_goes_out_before_the_last_is_swallowed() {
    let (line, mut guest) = pair();
    let mut line = line.in_sips(4);
    line.exec("true");
    let whole = line.unsent.len();
    for left in (0..whole).rev().step_by(4) {
        let unsent = left.saturating_sub(3);
        for _ in 0..3 {
            line.turn().expect("all is well");
            assert_eq!(line.unsent.len(), unsent);
        }
        assert!(line.is_full());
        line.swallowed();
    }
    let mut taken = vec![0; whole];
    guest.read_exact(&mut taken).expect("all of it");
}

#[test]
fn a_command_that_says_too_much_is_cut_and_told_to_die_once() {
    let (mut line, mut guest) = pair();
    let exec = line.exec("yes");
    let word = Word::Error {
        channel: exec.0,
        bytes: vec![b'y'; PIECE],
    };
    for _ in 0..MOST / PIECE + 3 {
        say(&mut guest, &word);
    }
    turn(&mut line, |line| line.heard(exec).is_too_much).expect("all is well");
    assert_eq!(line.heard(exec).stderr.len(), MOST);
    line.turn().expect("all is well");
    assert!(line.take_too_much() && !line.take_too_much());
    guest.set_nonblocking(true).expect("a socket");
    let mut told = Vec::new();
    guest.read_to_end(&mut told).expect_err("nothing more yet");
    let mut orders = Decoder::<Order>::default();
    orders.push(&told);
    let orders = std::iter::from_fn(|| orders.next_message());
    let kill = Order::Signal {
        channel: exec.0,
        number: KILL,
    };
    let kills = orders.filter(|order| order.as_ref() == Ok(&kill)).count();
    assert_eq!(kills, 1);
}

#[test]
fn a_line_that_is_of_no_use_says_why() {
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
        "6 bytes came over the line that are no message"
    );
    let hello = encode(&Word::Hello { version: VERSION });
    assert_eq!(trouble(&hello), "the agent started anew");
    let behind_noise = [b"\xff\0", hello.as_slice()].concat();
    assert_eq!(trouble(&behind_noise), "the agent started anew");
    let other = encode(&Word::Hello { version: 0 });
    assert!(trouble(&other).starts_with("the guest's agent speaks version 0 where"));
    assert_eq!(trouble(b""), "QEMU closed the line");
}
