//! Loads that fault. The handler of SIGSEGV makes the memory readable, and the load is repeated, as
//! in programs that collect garbage or check for null pointers so.
#![expect(unsafe_code, reason = "reads memory that it may not, on purpose")]

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::arch;
use crate::counts::Counts;
use crate::pages::{self, NONE, READ};
use crate::{Error, check, signals};

/// What the page's words are.
const WORD: usize = 12345;

/// The page, and the program counter of the last fault.
static AT: AtomicUsize = AtomicUsize::new(0);
static PC: AtomicUsize = AtomicUsize::new(0);

/// A function that loads a word in its second instruction.
struct Load {
    name: &'static str,
    function: unsafe extern "C" fn(*const usize) -> usize,
    /// The offsets of its instructions.
    offsets: &'static [usize],
}

const LOADS: [Load; 2] = [
    Load {
        name: "frames_load",
        function: arch::frames_load,
        offsets: &arch::LOAD,
    },
    Load {
        name: "frames_fetch",
        function: arch::frames_fetch,
        offsets: &arch::FETCH,
    },
];

/// Calls each so many times on memory that is not readable.
pub fn fault(count: usize) -> Result<Counts, Error> {
    let page = pages::anonymous(&WORD.to_ne_bytes())?;
    AT.store(page, SeqCst);
    signals::handle(libc::SIGSEGV, |pc| {
        PC.store(pc, SeqCst);
        // A failure leads to the same fault again, and to the scenario's time limit.
        drop(pages::protect(AT.load(SeqCst), READ));
    })?;
    let mut counts = Counts::default();
    for load in &LOADS {
        for _ in 0..count {
            load.call(page)?;
        }
        counts = load.count(counts, count);
    }
    Ok(counts)
}

impl Load {
    fn call(&self, page: usize) -> Result<(), Error> {
        pages::protect(page, NONE)?;
        let from = std::ptr::with_exposed_provenance(page);
        // SAFETY: the word is there, and readable when the handler has run.
        let word = unsafe { (self.function)(from) };
        check(self.name, word, WORD)?;
        let at = PC.swap(0, SeqCst).wrapping_sub(self.function as usize);
        check("the fault's offset", at, self.offsets[1])
    }

    /// The load is executed twice, all else once.
    fn count(&self, counts: Counts, calls: usize) -> Counts {
        let counts = counts.with(self.name, calls, calls);
        let offsets = self.offsets.iter().enumerate();
        offsets.fold(counts, |counts, (index, offset)| {
            let times = if index == 1 { 2 } else { 1 };
            counts.with_offset(self.name, *offset, times * calls)
        })
    }
}
