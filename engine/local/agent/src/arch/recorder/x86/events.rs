//! What a thread writes for the command.

use core::sync::atomic::Ordering;
use core::time::Duration;

use engine_abi::path::{
    CLONE, END, ENDED, ENTER, EXEC, FIRST, GENERATION, LEFT, Left, MAP, RUNS, SIGNAL,
    SIGNAL_RETURN, START, TEXT, TEXT_MAX, WAITS,
};

use super::kernel;
use super::shared;
use super::state::State;

/// The longest event, with room to spare.
const LONGEST_EVENT: usize = 2 * TEXT_MAX;

/// How long a thread waits for the command before it looks whether that is still there.
const PATIENCE: Duration = Duration::from_millis(200);

/// An event, as it is put together.
struct Event {
    bytes: [u8; LONGEST_EVENT],
    length: usize,
}

impl Event {
    fn new(tag: u8) -> Self {
        let mut event = Self {
            bytes: [0; LONGEST_EVENT],
            length: 0,
        };
        event.put(&[tag]);
        event
    }

    /// What has no room is left out, as a long name is.
    fn put(&mut self, bytes: &[u8]) {
        let places = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (to, from) in places.iter_mut().zip(bytes) {
            *to = *from;
            self.length = self.length.wrapping_add(1);
        }
    }

    fn address(mut self, address: u64) -> Self {
        self.put(&address.to_le_bytes());
        self
    }

    fn number(mut self, number: u32) -> Self {
        self.put(&number.to_le_bytes());
        self
    }

    fn byte(mut self, byte: u8) -> Self {
        self.put(&[byte]);
        self
    }

    fn text(mut self, text: &[u8]) -> Self {
        self.put(&(text.len() as u16).to_le_bytes());
        self.put(text);
        self
    }

    fn write(&self, state: &State) {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        let next = &state.share().next;
        if next.load(Ordering::Relaxed) > -(LONGEST_EVENT as i64) {
            flush(state);
        }
        let index = next.load(Ordering::Relaxed);
        state.write(index, bytes);
        next.store(index.wrapping_add(bytes.len() as i64), Ordering::Release);
    }
}

/// Empties the buffer if little of it is left.
pub fn make_room(state: &State) {
    if state.share().next.load(Ordering::Relaxed) > -(LONGEST_EVENT as i64) {
        flush(state);
    }
}

/// Has the command take the events. Without a command they are lost, and the program runs on.
pub fn flush(state: &State) {
    let share = state.share();
    share.stage.store(WAITS, Ordering::Release);
    ring();
    while share.stage.load(Ordering::Acquire) == WAITS && shared::is_claimed() {
        kernel::wait_shared(&share.stage, WAITS, PATIENCE);
    }
    if share.stage.load(Ordering::Acquire) == WAITS {
        share.next.store(FIRST, Ordering::Relaxed);
        share.stage.store(RUNS, Ordering::Release);
    }
}

/// Wakes the command.
pub fn ring() {
    if let Some(doorbell) = shared::doorbell() {
        doorbell.fetch_add(1, Ordering::Release);
        kernel::wake_shared(doorbell);
    }
}

/// A block was translated.
pub fn text(state: &State, number: u32, generation: u32, address: u64, text: &[u8]) {
    let event = Event::new(TEXT).number(number).number(generation);
    event.address(address).text(text).write(state);
}

/// The block of this number is entered.
pub fn enter(state: &State, number: u32) {
    Event::new(ENTER).number(number).write(state);
}

/// Its blocks are of this generation from its arrival at an address on.
pub fn generation(state: &State, at: u64, generation: u32) {
    state.generation.set(generation);
    let event = Event::new(GENERATION).address(at);
    event.number(generation).write(state);
}

/// A signal is delivered.
pub fn signal(state: &State, signal: u32, at: u64, handler: u64) {
    let event = Event::new(SIGNAL).byte(signal as u8);
    event.address(at).address(handler).write(state);
}

/// A handler returns.
pub fn signal_return(state: &State, at: u64, to: u64) {
    Event::new(SIGNAL_RETURN)
        .address(at)
        .address(to)
        .write(state);
}

/// The thread begins.
pub fn start(state: &State, at: u64) {
    Event::new(START).address(at).write(state);
}

/// The thread is not recorded any more.
pub fn left(state: &State, at: u64, why: Left) {
    Event::new(LEFT).address(at).byte(why as u8).write(state);
}

/// A process or thread was made.
pub fn clone(state: &State, at: u64, child: u32) {
    Event::new(CLONE).address(at).number(child).write(state);
}

/// The thread ends: the command takes what is there.
pub fn end(state: &State, at: u64) {
    Event::new(END).address(at).write(state);
    state.share().stage.store(ENDED, Ordering::Release);
    ring();
}

/// A program is about to be executed.
pub fn exec(state: &State, at: u64) {
    Event::new(EXEC).address(at).write(state);
}

/// A mapping that code is from.
pub fn map(state: &State, range: [u64; 2], offset: u64, changes: bool, name: &[u8]) {
    let [start, end] = range;
    let event = Event::new(MAP).address(start).address(end);
    let event = event.address(offset).byte(changes.into());
    let name = name.get(..TEXT_MAX.min(name.len())).unwrap_or_default();
    event.text(name).write(state);
}
