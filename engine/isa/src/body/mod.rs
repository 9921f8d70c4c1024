//! The body of a function: which of its words are instructions, and by which of them control leaves it.
//!
//! From the entry on along control flow: what no path reaches is no instruction, and what an instruction
//! loads from is none either, though control seem to run into it, as it does behind a call that never comes
//! back. What stands behind where control ends, and is not data, is an instruction that is reached otherwise:
//! by a switch, by a jump that the kernel has switched off, or by its exception table. Compilers leave
//! nothing else in a function.

mod back;
mod calls;
mod ground;
mod marks;
mod window;

use core::marker::PhantomData;
use core::ops::Range;

pub use back::comes_back;
pub use calls::calls;
use ground::Ground;
use window::Window;

use crate::mutant::{self, Mutant};
use crate::{Away, Control};

pub(crate) use sealed::{Gap, Step, Steps};

/// What a walk asks of an instruction set.
pub(crate) mod sealed {
    use super::Unwalked;
    pub use super::ground::Ground;
    pub use super::window::Code;
    use crate::Control;

    /// An instruction, as far as a walk needs it.
    pub struct Step {
        /// Its length in bytes.
        pub length: u64,
        pub control: Control,
        /// Whether it goes on for sure, if it does not go away. What is called may not come back, and nops may be
        /// what fills the text behind that.
        pub goes_on: bool,
    }

    /// What may stand behind where control ends.
    pub enum Gap {
        Instruction,
        /// So many bytes that nobody executes.
        Filling(u64),
    }

    /// The instruction set.
    pub trait Steps {
        /// Where instructions begin: at a multiple of it.
        const ALIGN: u64;
        /// How many bytes of parts a function may have in the memory that it is said to need.
        const PARTS: u64;

        /// The instruction at an address.
        fn step(code: &Code, at: u64) -> Step;
        /// What it calls, if its text says.
        fn call(code: &Code, at: u64) -> Option<u64>;
        /// What stands behind an end.
        fn gap(code: &Code) -> Gap;
        /// Marks what the instruction loads from, and where it switches to.
        fn survey(
            code: &Code,
            at: u64,
            control: Control,
            ground: &mut Ground<'_>,
        ) -> Result<(), Unwalked>;
    }
}

/// An instruction set whose functions can be walked over.
pub trait Set: Steps {}

impl<S: Steps> Set for S {}

/// The text walked over, as the walker's host sees it.
pub struct Text<'a> {
    /// Reads text, as it is without anybody's traps; false where it cannot be read.
    pub load: &'a dyn Fn(u64, &mut [u8]) -> bool,
    /// Whether an address outside of the function is in a part of it (`.cold`): the extent of that part.
    pub part: &'a dyn Fn(u64) -> Option<Range<u64>>,
    /// Whether a jump there is a return (x86's return thunks).
    pub returns: &'a dyn Fn(u64) -> bool,
}

/// How control leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Back to the caller.
    Return,
    /// To another function, which will return in this one's place: to its address, or to wherever a register
    /// or memory says.
    Tail(Option<u64>),
}

impl Exit {
    /// The same without the target.
    #[must_use]
    pub const fn leaves(self) -> Leaves {
        match self {
            Self::Return => Leaves::Return,
            Self::Tail(_) => Leaves::Tail,
        }
    }
}

/// How an instruction leaves its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// It returns.
    Return,
    /// It goes on in another function, which returns in this one's place.
    Tail,
}

/// Why a function could not be walked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwalked {
    /// The function, or a part of it, has no bytes, or not whole words of them.
    Extent,
    /// The text at this address could not be read.
    Unreadable(u64),
    /// The memory lent is not enough: for the function, or for its parts, which may be more or larger than
    /// most have. With more memory it may be, up to three parts.
    Room,
    /// What is data and what is not depends on itself.
    Unsettled,
}

/// How often a walk is done again since data have been taken for instructions.
const ROUNDS: usize = 8;

/// A function that has been walked over.
pub struct Walk<'a, S> {
    ground: Ground<'a>,
    falls_out: bool,
    set: PhantomData<S>,
}

/// How many words of memory a function of so many bytes needs, with parts that are as large as most are.
#[must_use]
pub const fn room<S: Set>(bytes: u64) -> usize {
    let parts = ground::words(S::PARTS, S::ALIGN).wrapping_add(ground::STRETCHES);
    let all = ground::words(bytes, S::ALIGN).wrapping_add(parts);
    all.wrapping_mul(ground::KINDS)
}

impl<'a, S: Set> Walk<'a, S> {
    /// Walks over a function. All memory that is lent is cleared, so let it be no more than [`room`] says.
    ///
    /// # Errors
    /// [`Unwalked`], and then nothing is known of the function.
    pub fn over(
        text: &'a Text<'a>,
        function: Range<u64>,
        memory: &'a mut [u64],
    ) -> Result<Self, Unwalked> {
        let ground = Ground::new(text, S::ALIGN, memory);
        let mut walk = Self {
            ground: ground.ok_or(Unwalked::Room)?,
            falls_out: false,
            set: PhantomData,
        };
        walk.ground.add(&function)?;
        for _ in 0..ROUNDS {
            walk.all(function.start)?;
            if walk.ground.is_settled() {
                return Ok(walk);
            }
            walk.ground.begin_again();
        }
        Err(Unwalked::Unsettled)
    }

    fn all(&mut self, entry: u64) -> Result<(), Unwalked> {
        self.falls_out = false;
        self.ground.reach(entry);
        self.follow()?;
        let falls_out = self.falls_out;
        while let Some(place) = self.ground.next_gap() {
            let at = self.ground.address(place);
            let (code, _) = self.ground.code(at)?;
            match S::gap(&code) {
                Gap::Instruction => _ = self.ground.reach(at),
                Gap::Filling(bytes) => self.ground.end_before(at.wrapping_add(bytes)),
            }
            self.follow()?;
        }
        self.falls_out = falls_out;
        Ok(())
    }

    /// Looks at everything that control gets to.
    fn follow(&mut self) -> Result<(), Unwalked> {
        while let Some(place) = self.ground.next_reached() {
            let at = self.ground.address(place);
            let (code, left) = self.ground.code(at)?;
            let step = S::step(&code, at);
            if step.length > left {
                self.falls_out = true;
                continue;
            }
            self.ground.code.set(place);
            S::survey(&code, at, step.control, &mut self.ground)?;
            self.go_away(place, step.control)?;
            self.go_on(at, &step);
        }
        Ok(())
    }

    fn go_on(&mut self, at: u64, step: &Step) {
        let behind = at.wrapping_add(step.length);
        if !step.control.next {
            self.ground.end_before(behind);
        } else if !self.ground.reach(behind) {
            self.falls_out |= step.goes_on;
        }
    }

    fn go_away(&mut self, place: usize, control: Control) -> Result<(), Unwalked> {
        match control.away {
            None | Some(Away::Switch) => return Ok(()),
            Some(Away::To(to)) if stays(&mut self.ground, to)? => {}
            Some(_) => self.ground.exits.set(place),
        }
        Ok(())
    }

    /// Tells each instruction by which control may leave, with its address: those of the function itself in
    /// rising order, and then those of each part. The text is read again, and must be as it was.
    pub fn exits(&self, see: &mut dyn FnMut(u64, Exit)) {
        let mut window = Window::new(self.ground.text);
        for place in self.ground.exits.all() {
            let at = self.ground.address(place);
            let code = self.ground.code_by(&mut window, at);
            let away = code.and_then(|code| S::step(&code, at).control.away);
            if let Some(exit) = away.and_then(|away| self.exit(away)) {
                see(at, exit);
            }
        }
    }

    fn exit(&self, away: Away) -> Option<Exit> {
        Some(match away {
            Away::Return => Exit::Return,
            Away::To(to) if (self.ground.text.returns)(to) => Exit::Return,
            Away::To(to) => Exit::Tail(Some(to)),
            Away::Indirect => Exit::Tail(None),
            Away::Switch => return None,
        })
    }

    /// The addresses of the instructions, in the same order.
    pub fn instructions(&self) -> impl Iterator<Item = u64> {
        let places = self.ground.code.all();
        places.map(|place| self.ground.address(place))
    }

    /// Whether control runs over the function's end, or a part's, into what stands behind it. What is called
    /// last is taken not to come back, with nops behind it or without.
    #[must_use]
    pub const fn falls_out(&self) -> bool {
        self.falls_out
    }
}

/// Whether an address is within the function, and then control gets to it.
fn stays(ground: &mut Ground<'_>, to: u64) -> Result<bool, Unwalked> {
    if ground.reach(to) {
        return Ok(true);
    }
    let part = (ground.text.part)(to).filter(|part| part.contains(&to));
    let Some(part) = part.filter(|_| !mutant::is_chosen(Mutant::PartIsElsewhere)) else {
        return Ok(false);
    };
    ground.add(&part)?;
    Ok(ground.reach(to))
}
