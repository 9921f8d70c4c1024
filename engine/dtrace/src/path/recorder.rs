//! Raw events become the file.

use std::fmt::Display;
use std::io;

use super::block::Blocks;
use super::event::{Event, NoEvent, read};
use super::file::Writer;
use super::file::record::{Begin, Kind, Record};
use super::raw::{Decisions, Raw};
use super::unrecorded::Unrecorded;
use super::walk::{Halt, Walk};

/// Why a thread's path is not complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The thread's ID, 0 if it is not known.
    pub thread: u32,
    /// The address of its next instruction.
    pub address: u64,
    /// The offset of the event in all events of its area.
    pub event: u64,
    pub why: String,
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            thread,
            address,
            event,
            why,
        } = self;
        write!(
            f,
            "thread {thread}: lost at {address:#x}, event {event:#x}: {why}"
        )
    }
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The number of threads.
    pub threads: u32,
    /// The number of decisions.
    pub decisions: u64,
    /// The file's length.
    pub bytes: u64,
    pub faults: Vec<Fault>,
    pub unrecorded: Unrecorded,
}

/// The events of an area that have not been taken into the file.
#[derive(Debug, Default)]
struct Stream {
    events: Vec<u8>,
    /// The offset of the first one in all events of the area.
    offset: u64,
    /// The next event.
    at: usize,
    /// Text and mappings before this are known.
    scanned: usize,
    /// The ID of the thread that begins.
    id: u32,
    thread: Option<Thread>,
    is_stalled: bool,
}

#[derive(Debug)]
struct Thread {
    number: u32,
    id: u32,
    walk: Walk,
    decisions: Decisions,
}

/// What an event has come to.
enum Step {
    GoesOn,
    /// Text is missing.
    Stalls,
    /// There is no whole event.
    Ends,
}

/// Takes raw events, and writes the file.
pub struct Recorder {
    writer: Writer,
    blocks: Blocks,
    streams: Vec<Stream>,
    /// Counts texts.
    texts: u64,
    recorded: Recorded,
}

impl Recorder {
    /// Begins a file.
    pub fn new(mut writer: Writer, begin: Begin) -> io::Result<Self> {
        writer.put(&Record::Begin(begin))?;
        Ok(Self {
            writer,
            blocks: Blocks::new(),
            streams: Vec::new(),
            texts: 0,
            recorded: Recorded::default(),
        })
    }

    /// States the ID of the thread that begins in an area, before its events are taken.
    pub fn name(&mut self, area: usize, id: u32) {
        self.stream(area).id = id;
    }

    /// Takes events of the thread in an area, in their order. An event may be cut off, and go on in the next
    /// ones.
    pub fn take(&mut self, area: usize, events: &[u8]) -> io::Result<()> {
        let stream = self.stream(area);
        stream.events.extend_from_slice(events);
        let texts = self.texts;
        self.go_on(area)?;
        match self.texts {
            now if now == texts => Ok(()),
            _ => self.retry(),
        }
    }

    /// Writes what was taken, so that it is in the file even if nothing follows.
    pub fn flush(&mut self) -> io::Result<()> {
        for stream in &mut self.streams {
            stream.flush(&mut self.writer, &mut self.recorded)?;
        }
        self.writer.flush()
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<Recorded> {
        self.retry()?;
        for area in 0..self.streams.len() {
            if self.streams[area].is_stalled {
                self.give_up(area)?;
            }
        }
        self.flush()?;
        self.recorded.bytes = self.writer.finish()?;
        Ok(self.recorded)
    }

    fn stream(&mut self, area: usize) -> &mut Stream {
        if area >= self.streams.len() {
            self.streams.resize_with(area + 1, Stream::default);
        }
        &mut self.streams[area]
    }

    /// Goes on with the threads that text was missing for.
    fn retry(&mut self) -> io::Result<()> {
        let mut texts = None;
        while texts.replace(self.texts) != Some(self.texts) {
            for area in 0..self.streams.len() {
                if self.streams[area].is_stalled {
                    self.go_on(area)?;
                }
            }
        }
        Ok(())
    }

    fn go_on(&mut self, area: usize) -> io::Result<()> {
        self.streams[area].is_stalled = false;
        loop {
            match self.step(area)? {
                Step::GoesOn => {}
                Step::Ends => break,
                Step::Stalls => {
                    self.streams[area].is_stalled = true;
                    self.scan(area)?;
                    break;
                }
            }
        }
        self.streams[area].forget();
        Ok(())
    }

    /// Takes decisions, and the event behind them.
    fn step(&mut self, area: usize) -> io::Result<Step> {
        let stream = &mut self.streams[area];
        match stream.decide(&self.blocks) {
            Ok(()) => {}
            Err(halt) => return self.halt(area, halt),
        }
        if stream.is_full() {
            stream.flush(&mut self.writer, &mut self.recorded)?;
            return Ok(Step::GoesOn);
        }
        match read(&stream.events[stream.at..]) {
            Ok((Event::Decision, _)) if stream.thread.is_some() => return Ok(Step::Stalls),
            Ok((Event::Mark(mark), length)) => return self.mark(area, &mark, length),
            Ok((Event::Start(at), length)) => {
                stream.at += length;
                self.start(area, at)?;
            }
            Ok((_, length)) => {
                let at = stream.at;
                stream.at += length;
                self.scan_at(area, at)?;
            }
            Err(NoEvent::Cut) => return Ok(Step::Ends),
            Err(NoEvent::Unknown(tag)) => {
                self.lose(area, format!("no event has the tag {tag}"))?;
                let stream = &mut self.streams[area];
                stream.at = stream.events.len();
            }
        }
        Ok(Step::GoesOn)
    }

    /// Takes all text and mappings that an area has.
    fn scan(&mut self, area: usize) -> io::Result<()> {
        let mut at = self.streams[area].at.max(self.streams[area].scanned);
        while let Ok((_, length)) = read(&self.streams[area].events[at..]) {
            self.scan_at(area, at)?;
            at += length;
        }
        Ok(())
    }

    fn scan_at(&mut self, area: usize, at: usize) -> io::Result<()> {
        let stream = &mut self.streams[area];
        if at < stream.scanned {
            return Ok(());
        }
        // The event is out of the stream while others are flushed.
        let events = std::mem::take(&mut stream.events);
        let done = match read(&events[at..]) {
            Ok((event, length)) => {
                stream.scanned = at + length;
                self.learn(event)
            }
            Err(_) => Ok(()),
        };
        self.streams[area].events = events;
        done
    }

    fn learn(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Map(map) => self.writer.put(&Record::Map(map)),
            Event::Text {
                number,
                generation,
                address,
                text,
            } => self.text(number, generation, address, text),
            Event::Decision | Event::Start(_) | Event::Mark(_) => Ok(()),
        }
    }

    /// Text of a block. Decisions that were taken without it are written first, if with it they could be
    /// others.
    fn text(&mut self, number: u32, generation: u32, address: u64, text: &[u8]) -> io::Result<()> {
        if self.blocks.disturbs(generation, address, text) {
            for stream in &mut self.streams {
                stream.flush(&mut self.writer, &mut self.recorded)?;
            }
        }
        self.texts += 1;
        match self.blocks.same(address, text) {
            Some(block) => {
                self.blocks.insert_again(number, generation, block);
                self.writer.put(&Record::Again {
                    number,
                    generation,
                    block,
                })
            }
            None => {
                self.blocks.insert(number, generation, address, text);
                self.writer.put_text([number, generation], address, text)
            }
        }
    }

    fn start(&mut self, area: usize, at: u64) -> io::Result<()> {
        let stream = &mut self.streams[area];
        stream.flush(&mut self.writer, &mut self.recorded)?;
        let (number, id) = (self.recorded.threads, stream.id);
        self.recorded.threads += 1;
        stream.thread = Some(Thread {
            number,
            id,
            walk: Walk::new(at),
            decisions: Decisions::default(),
        });
        self.put_mark(number, Kind::Start { at, id })
    }

    fn put_mark(&mut self, thread: u32, mark: Kind) -> io::Result<()> {
        self.recorded.unrecorded.mark(thread, &mark);
        self.writer.put(&Record::Mark(thread, mark))
    }

    fn mark(&mut self, area: usize, mark: &Kind, length: usize) -> io::Result<Step> {
        let stream = &mut self.streams[area];
        match stream.mark(&self.blocks, mark) {
            Ok(goes_on) => {
                stream.at += length;
                stream.flush(&mut self.writer, &mut self.recorded)?;
                let number = stream.thread.as_ref().map(|thread| thread.number);
                stream.thread = stream.thread.take().filter(|_| goes_on);
                if let Some(number) = number {
                    self.put_mark(number, mark.clone())?;
                }
                Ok(Step::GoesOn)
            }
            Err(halt) => self.halt(area, halt),
        }
    }

    fn halt(&mut self, area: usize, halt: Halt) -> io::Result<Step> {
        match halt {
            Halt::NoText(_) => Ok(Step::Stalls),
            halt => {
                self.lose(area, halt.to_string())?;
                Ok(Step::GoesOn)
            }
        }
    }

    /// A thread's events make no sense: what follows up to the next thread's is passed over.
    fn lose(&mut self, area: usize, why: String) -> io::Result<()> {
        let stream = &mut self.streams[area];
        stream.flush(&mut self.writer, &mut self.recorded)?;
        let Some(thread) = stream.thread.take() else {
            return Ok(());
        };
        let address = thread.walk.address(&self.blocks);
        let mark = Kind::Lost {
            at: address,
            why: why.clone().into_bytes(),
        };
        self.recorded.faults.push(Fault {
            thread: thread.id,
            address,
            event: stream.offset + stream.at as u64,
            why,
        });
        self.put_mark(thread.number, mark)
    }

    /// No more text comes for an area that waits for some.
    fn give_up(&mut self, area: usize) -> io::Result<()> {
        while self.streams[area].is_stalled {
            self.lose(area, "its text was not recorded".to_owned())?;
            self.go_on(area)?;
        }
        Ok(())
    }
}

impl Stream {
    /// Takes as many decisions as there are.
    fn decide(&mut self, blocks: &Blocks) -> Result<(), Halt> {
        let Some(thread) = &mut self.thread else {
            return Ok(());
        };
        let mut raw = Raw {
            events: &self.events,
            at: &mut self.at,
            decisions: &mut thread.decisions,
            blocks,
        };
        thread.walk.run(blocks, &mut raw)
    }

    fn mark(&mut self, blocks: &Blocks, mark: &Kind) -> Result<bool, Halt> {
        let Some(thread) = &mut self.thread else {
            return Ok(true);
        };
        let mut raw = Raw {
            events: &self.events,
            at: &mut self.at,
            decisions: &mut thread.decisions,
            blocks,
        };
        thread.walk.mark(blocks, &mut raw, mark)
    }

    fn is_full(&self) -> bool {
        let thread = self.thread.as_ref();
        thread.is_some_and(|thread| thread.decisions.is_full())
    }

    /// Writes the decisions that were taken.
    fn flush(&mut self, writer: &mut Writer, recorded: &mut Recorded) -> io::Result<()> {
        let Some(thread) = &mut self.thread else {
            return Ok(());
        };
        let Some(run) = thread.decisions.take() else {
            return Ok(());
        };
        recorded.decisions += run.count;
        recorded.unrecorded.goes_on(thread.number);
        writer.put(&Record::Run(thread.number, run))
    }

    /// Forgets what was taken.
    fn forget(&mut self) {
        self.events.drain(..self.at);
        self.offset += self.at as u64;
        self.scanned = self.scanned.saturating_sub(self.at);
        self.at = 0;
    }
}
