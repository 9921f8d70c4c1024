//! Walks over function bodies: which words are instructions, and by which of them control leaves.
//!
//! A walk follows control flow from the entry. A word that no path reaches is not an instruction.
//! Nor is one that an instruction loads from, even if control seems to run into it, as it does
//! after a call that does not return. Where control ends, whatever follows and is not data is an
//! instruction reached some other way: through a switch, a jump label that is disabled, or the
//! exception table. Compilers put nothing else into a function.
//!
//! A walk may discover that words it decoded are data. It then starts over with the data known, up
//! to `ROUNDS` times. All state is in memory that the caller lends; nothing here allocates, and
//! nothing runs in trap context.

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
use window::{Code, Window};

use crate::mutant::{self, Mutant};
use crate::{Away, Control};

pub(crate) use sealed::{Gap, Step, Steps};

/// What a walk needs of an instruction set.
pub(crate) mod sealed {
    use super::Unwalked;
    pub use super::ground::Ground;
    pub use super::window::Code;
    use crate::Control;

    /// A decoded instruction.
    pub struct Step {
        /// Its length in bytes.
        pub length: u64,
        pub control: Control,
        /// Whether control is certain to reach the next instruction if it does not branch. A call
        /// may not return, and a nop may be the padding after one.
        pub goes_on: bool,
    }

    /// What can follow an end of control.
    pub enum Gap {
        Instruction,
        /// This many bytes of padding, never executed.
        Filling(u64),
    }

    /// An instruction set, as a walk uses it.
    pub trait Steps {
        /// Instructions begin at multiples of this.
        const ALIGN: u64;
        /// How many bytes of parts a function may have and still fit in `room`.
        const PARTS: u64;
        /// What an instruction means besides its bytes: Thumb's place in an IT block. By default
        /// it is in none.
        type Place: Copy + Default;

        /// Decodes the instruction at an address.
        fn step(code: &Code, at: u64, place: Self::Place) -> Step;
        /// The place of the instruction behind this one.
        fn next_place(code: &Code, place: Self::Place) -> Self::Place;
        /// The target of a direct call.
        fn call(code: &Code, at: u64) -> Option<u64>;
        /// What follows an end of control.
        fn gap(code: &Code) -> Gap;
        /// Marks what the instruction loads from, and the targets of a switch. Returns where
        /// control goes: `control`, unless the instructions before this one say more.
        fn survey(
            code: &Code,
            at: u64,
            control: Control,
            ground: &mut Ground<'_>,
        ) -> Result<Control, Unwalked>;
    }
}

/// An instruction set whose functions can be walked.
pub trait Set: Steps {}

impl<S: Steps> Set for S {}

/// The text to walk over, as the caller provides it.
pub struct Text<'a> {
    /// Reads text without breakpoints in it; false if it cannot be read.
    pub load: &'a dyn Fn(u64, &mut [u8]) -> bool,
    /// The extent of the part (`.cold`) that an address outside of the function is in, if it is in
    /// one.
    pub part: &'a dyn Fn(u64) -> Option<Range<u64>>,
    /// Whether a jump to this address is a return (x86's return thunks).
    pub returns: &'a dyn Fn(u64) -> bool,
    /// Whether the function may end before its extent does: then only what control reaches is its own.
    pub is_open: bool,
}

/// How control leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It returns to the caller.
    Return,
    /// It jumps to another function, which returns in its place: to a known address, or through a
    /// register or memory.
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
    /// It jumps to another function, which returns in its place.
    Tail,
}

/// Why a function could not be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwalked {
    /// The function, or a part of it, is empty or not a whole number of words.
    Extent,
    /// The text at this address could not be read.
    Unreadable(u64),
    /// The lent memory is too small for the function or its parts, which may be more or larger than
    /// usual. More memory helps for up to three parts.
    Room,
    /// Which words are data did not settle within `ROUNDS`.
    Unsettled,
}

/// How often a walk is repeated because data were decoded as instructions.
const ROUNDS: usize = 8;

/// A function that has been walked.
pub struct Walk<'a, S> {
    ground: Ground<'a>,
    falls_out: bool,
    set: PhantomData<S>,
}

/// Words of memory for a function of `bytes`, with parts of the usual size.
#[must_use]
pub const fn room<S: Set>(bytes: u64) -> usize {
    let parts = ground::words(S::PARTS, S::ALIGN).wrapping_add(ground::STRETCHES);
    let all = ground::words(bytes, S::ALIGN).wrapping_add(parts);
    ground::room(all)
}

impl<'a, S: Set> Walk<'a, S> {
    /// Walks over a function. All of `memory` is cleared, so do not lend more than [`room`] gives.
    ///
    /// # Errors
    /// [`Unwalked`]; nothing is known of the function then.
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
        while !self.ground.text.is_open
            && let Some(place) = self.ground.next_gap()
        {
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

    /// Decodes every place that is reached.
    fn follow(&mut self) -> Result<(), Unwalked> {
        let mut order = Order::<S>::default();
        while let Some(place) = self.ground.next_reached() {
            let at = self.ground.address(place);
            let (code, left) = self.ground.code(at)?;
            let step = order.step(&code, at);
            if step.length > left {
                self.falls_out = true;
                continue;
            }
            self.ground.code.set(place);
            let control = S::survey(&code, at, step.control, &mut self.ground)?;
            self.go_away(place, control)?;
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

    /// Calls `see` with each instruction by which control may leave and its address: the function's
    /// own in ascending order, then those of each part. Reads the text again; it must not have
    /// changed.
    pub fn exits(&self, see: &mut dyn FnMut(u64, Exit)) {
        let mut window = Window::new(self.ground.text);
        for place in self.ground.exits.all() {
            let at = self.ground.address(place);
            if let Some(exit) = self.exit_at(&mut window, at) {
                see(at, exit);
            }
        }
    }

    /// What an instruction leaves by does not depend on its place in a block: where it may not be,
    /// it is no exit.
    fn exit_at(&self, window: &mut Window<'a>, at: u64) -> Option<Exit> {
        let code = self.ground.code_by(window, at)?;
        let away = S::step(&code, at, S::Place::default()).control.away?;
        self.exit(away)
    }

    /// Calls `see` with each instruction, its address and its place, and then with each exit, in
    /// the same order. Reads the text again, as [`Walk::exits`] does.
    pub fn placed(&self, see: &mut dyn FnMut(u64, S::Place, Option<Exit>)) {
        for only_exits in [false, true] {
            let (mut window, mut order) = (Window::new(self.ground.text), Order::<S>::default());
            for place in self.ground.code.all() {
                let at = self.ground.address(place);
                let Some(code) = self.ground.code_by(&mut window, at) else {
                    return;
                };
                let here = order.place(at);
                order.step(&code, at);
                if !only_exits {
                    see(at, here, None);
                } else if self.ground.exits.has(place)
                    && let Some(exit) = self.exit_at(&mut window, at)
                {
                    see(at, here, Some(exit));
                }
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

    /// Whether control falls through the end of the function, or of a part. A call at the end, with
    /// or without nops after it, is assumed not to return.
    #[must_use]
    pub const fn falls_out(&self) -> bool {
        self.falls_out
    }
}

/// The instruction that is next if the one decoded last is not branched over. Inside of a block that
/// is certain: only its last instruction may branch, and nothing branches into it.
struct Order<S: Set> {
    next: u64,
    place: S::Place,
}

impl<S: Set> Default for Order<S> {
    fn default() -> Self {
        Self {
            next: 0,
            place: S::Place::default(),
        }
    }
}

impl<S: Set> Order<S> {
    /// The place of the instruction at an address.
    #[inline]
    fn place(&self, at: u64) -> S::Place {
        if at == self.next {
            self.place
        } else {
            S::Place::default()
        }
    }

    /// Decodes the instruction at an address.
    #[inline]
    fn step(&mut self, code: &Code, at: u64) -> Step {
        let place = self.place(at);
        let step = S::step(code, at, place);
        *self = Self {
            next: at.wrapping_add(step.length),
            place: S::next_place(code, place),
        };
        step
    }
}

/// Whether an address is within the function or a part of it; marks it as reached if so.
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
