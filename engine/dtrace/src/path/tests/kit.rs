//! Raw events by hand, and what becomes of them.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::ops::Range;
use std::rc::Rc;

use engine_abi::path::{
    CLONE, END, ENTER, EXEC, GENERATION, LEFT, Left, MAP, NOT_TAKEN, SIGNAL, SIGNAL_RETURN, START,
    TAKEN, TARGET, TEXT,
};

use crate::path::file::record::{Begin, Kind, Map, Run};
use crate::path::file::{Error, Reader, Writer};
use crate::path::recorder::{Recorded, Recorder};
use crate::path::replay::{At, Replay, Visitor};

/// Raw events.
#[derive(Debug, Clone, Default)]
pub struct Events(Vec<u8>);

impl Events {
    pub fn start(at: u64) -> Self {
        Self::default().put(START, &[&at.to_le_bytes()])
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn put(mut self, tag: u8, parts: &[&[u8]]) -> Self {
        self.0.push(tag);
        self.0.extend(parts.concat());
        self
    }

    pub fn push_decision(&mut self, taken: bool) {
        self.0.push(if taken { TAKEN } else { NOT_TAKEN });
    }

    pub fn taken(self) -> Self {
        self.put(TAKEN, &[])
    }

    pub fn not_taken(self) -> Self {
        self.put(NOT_TAKEN, &[])
    }

    pub fn target(self, to: u64) -> Self {
        self.put(TARGET, &[&to.to_le_bytes()])
    }

    pub fn text(self, number: u32, generation: u32, address: u64, text: &[u8]) -> Self {
        let length = (text.len() as u16).to_le_bytes();
        let [number, generation] = [number, generation].map(u32::to_le_bytes);
        let address = address.to_le_bytes();
        self.put(TEXT, &[&number, &generation, &address, &length, text])
    }

    pub fn map(self, map: &Map) -> Self {
        let [start, end, offset] = [map.start, map.end, map.offset].map(u64::to_le_bytes);
        let (changes, length) = ([map.changes.into()], (map.name.len() as u16).to_le_bytes());
        self.put(MAP, &[&start, &end, &offset, &changes, &length, &map.name])
    }

    pub fn enter(self, number: u32) -> Self {
        self.put(ENTER, &[&number.to_le_bytes()])
    }

    pub fn generation(self, at: u64, generation: u32) -> Self {
        self.put(GENERATION, &[&at.to_le_bytes(), &generation.to_le_bytes()])
    }

    pub fn signal(self, signal: u8, at: u64, handler: u64) -> Self {
        let [at, handler] = [at, handler].map(u64::to_le_bytes);
        self.put(SIGNAL, &[&[signal], &at, &handler])
    }

    pub fn signal_return(self, at: u64, to: u64) -> Self {
        self.put(SIGNAL_RETURN, &[&at.to_le_bytes(), &to.to_le_bytes()])
    }

    pub fn end(self, at: u64) -> Self {
        self.put(END, &[&at.to_le_bytes()])
    }

    pub fn left(self, at: u64, why: Left) -> Self {
        self.put(LEFT, &[&at.to_le_bytes(), &[why as u8]])
    }

    pub fn clone_made(self, at: u64, child: u32) -> Self {
        self.put(CLONE, &[&at.to_le_bytes(), &child.to_le_bytes()])
    }

    pub fn exec(self, at: u64) -> Self {
        self.put(EXEC, &[&at.to_le_bytes()])
    }
}

/// A file in memory.
#[derive(Default, Clone)]
pub struct Memory(pub Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn recorder() -> (Memory, Recorder) {
    let memory = Memory::default();
    let writer = Writer::new(memory.clone()).unwrap();
    let begin = Begin {
        command: vec![b"prog".to_vec()],
        time: 1,
        architecture: b"x86_64".to_vec(),
    };
    (memory, Recorder::new(writer, begin).unwrap())
}

/// The file of these events of areas, taken in this order.
pub fn file_of(all: &[(usize, &[u8])]) -> (Vec<u8>, Recorded) {
    let (memory, mut recorder) = recorder();
    for (area, events) in all {
        recorder.take(*area, events).unwrap();
    }
    let recorded = recorder.finish().unwrap();
    let file = memory.0.borrow().clone();
    assert_eq!(recorded.bytes, file.len() as u64);
    (file, recorded)
}

/// Instructions that were executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub thread: u32,
    pub depth: u64,
    pub addresses: Vec<u64>,
}

/// What a file says.
#[derive(Debug, Default)]
pub struct All {
    pub steps: Vec<Step>,
    pub marks: Vec<(u32, Kind)>,
    pub maps: Vec<Map>,
    pub decisions: u64,
    pub values: usize,
    pub error: Option<Error>,
    pub is_complete: bool,
}

impl Visitor for All {
    fn map(&mut self, map: Map) {
        self.maps.push(map);
    }

    fn run(&mut self, _at: At<'_>, run: &Run) {
        self.decisions += run.count;
        self.values += run.values.len();
    }

    fn executed(&mut self, at: At<'_>, block: u32, instructions: Range<u32>, depth: u64) {
        let block = at.blocks.get(block);
        self.steps.push(Step {
            thread: at.thread,
            depth,
            addresses: instructions.map(|index| block.address_of(index)).collect(),
        });
    }

    fn mark(&mut self, at: At<'_>, _next: u64, mark: &Kind) {
        self.marks.push((at.thread, mark.clone()));
    }
}

/// Replays a file as far as possible.
pub fn replay(file: &[u8]) -> All {
    let mut all = All::default();
    match Reader::new(Cursor::new(file.to_vec())) {
        Ok(mut reader) => {
            all.error = Replay::new().read(&mut reader, &mut all).err();
            all.is_complete = reader.is_complete();
        }
        Err(error) => all.error = Some(error),
    }
    all
}

/// The instructions of a thread.
pub fn thread_path(all: &All, thread: u32) -> Vec<u64> {
    let steps = all.steps.iter().filter(|step| step.thread == thread);
    steps.flat_map(|step| step.addresses.clone()).collect()
}

/// The path of one thread, whose events come in one piece, and byte by byte.
pub fn path_of(events: Events) -> Vec<u64> {
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let bytes: Vec<(usize, &[u8])> = events.0.chunks(1).map(|byte| (0, byte)).collect();
    let all = replay(&file);
    assert!(all.error.is_none() && all.is_complete, "{:?}", all.error);
    let path = thread_path(&all, 0);
    let (slow, recorded) = file_of(&bytes);
    assert_eq!(recorded.faults, []);
    assert_eq!(thread_path(&replay(&slow), 0), path);
    path
}
