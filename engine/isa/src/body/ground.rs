//! The text of one function with its parts, and what the walk knows about each place in it.

use core::ops::Range;

use super::marks::{Marks, Queue};
use super::window::{Code, Window};
use super::{Text, Unwalked};
use crate::mutant::{self, Mutant};

/// At most this many stretches of text in a function: its own, and its parts.
pub(super) const STRETCHES: usize = 4;
/// How many bitmaps and queues there are, each with a bit for every place.
const KINDS: usize = 4;
const QUEUES: usize = 2;

/// A contiguous range of text, whose places begin at a multiple of 64.
#[derive(Clone, Copy, Default)]
struct Stretch {
    start: u64,
    bytes: u64,
    first: usize,
}

/// What the walk knows about a function's text.
///
/// A place is an address at which an instruction may begin. Data are what instructions of the
/// function load from: no instruction begins there.
pub struct Ground<'a> {
    pub(super) text: &'a Text<'a>,
    window: Window<'a>,
    align: u64,
    stretches: [Stretch; STRETCHES],
    count: usize,
    /// Places that are instructions.
    pub(super) code: Marks<'a>,
    /// Instructions by which control leaves.
    pub(super) exits: Marks<'a>,
    /// Places that are reached but not yet decoded.
    reached: Queue<'a>,
    /// Places after an end of control, and after data.
    behind: Queue<'a>,
    data: Marks<'a>,
    /// The data found by the previous round.
    known: Marks<'a>,
}

/// Words that the marks for `bytes` of text take. Instructions begin at multiples of `align`, a
/// power of two.
pub(super) const fn words(bytes: u64, align: u64) -> usize {
    let in_a_word = align.trailing_zeros().wrapping_add(6);
    let more = bytes & 1_u64.wrapping_shl(in_a_word).wrapping_sub(1) != 0;
    (bytes.wrapping_shr(in_a_word) as usize).saturating_add(more as usize)
}

/// Words of memory for so many words of marks.
pub(super) const fn room(words: usize) -> usize {
    let queues = Queue::room(words).saturating_mul(QUEUES);
    words.saturating_mul(KINDS).saturating_add(queues)
}

/// Words of marks for which there is room in so many words of memory.
const fn fitting(memory: usize) -> usize {
    // A queue's upper levels take a little more than a word for 63 of its marks, and one each.
    let mut words = memory / (KINDS + QUEUES);
    while words > 0 && room(words) > memory {
        let over = room(words).wrapping_sub(memory);
        let less = over.div_ceil(KINDS + QUEUES + 1);
        words = words.saturating_sub(less);
    }
    words
}

impl<'a> Ground<'a> {
    pub(super) fn new(text: &'a Text<'a>, align: u64, memory: &'a mut [u64]) -> Option<Self> {
        let each = fitting(memory.len());
        let (code, memory) = memory.split_at_mut_checked(each)?;
        let (exits, memory) = memory.split_at_mut_checked(each)?;
        let (data, memory) = memory.split_at_mut_checked(each)?;
        let (known, memory) = memory.split_at_mut_checked(each)?;
        let (reached, memory) = Queue::none(each, memory)?;
        let (behind, _) = Queue::none(each, memory)?;
        Some(Self {
            text,
            window: Window::new(text),
            align,
            stretches: [Stretch::default(); STRETCHES],
            count: 0,
            code: Marks::none(code),
            exits: Marks::none(exits),
            reached,
            behind,
            data: Marks::none(data),
            known: Marks::none(known),
        })
    }

    /// Adds a stretch; fails if there is no room for it.
    pub(super) fn add(&mut self, range: &Range<u64>) -> Result<(), Unwalked> {
        let bytes = range.end.wrapping_sub(range.start);
        if range.is_empty() || (range.start | bytes) & self.align.wrapping_sub(1) != 0 {
            return Err(Unwalked::Extent);
        }
        let first = self.stretches.iter().fold(0_usize, |sum, stretch| {
            sum.saturating_add(words(stretch.bytes, self.align))
        });
        let end = first.saturating_add(words(bytes, self.align));
        let fits = end <= self.code.words().len();
        let stretch = self.stretches.get_mut(self.count).filter(|_| fits);
        *stretch.ok_or(Unwalked::Room)? = Stretch {
            start: range.start,
            bytes,
            first: first.wrapping_shl(6),
        };
        self.count = self.count.wrapping_add(1);
        Ok(())
    }

    /// The place of an address in one of the stretches, and the bytes from there to the stretch's
    /// end.
    #[inline]
    fn find(&self, at: u64) -> Option<(usize, u64)> {
        for stretch in &self.stretches {
            let offset = at.wrapping_sub(stretch.start);
            if offset < stretch.bytes {
                let place = offset.wrapping_shr(self.align.trailing_zeros()) as usize;
                let left = stretch.bytes.wrapping_sub(offset);
                return Some((stretch.first.wrapping_add(place), left));
            }
        }
        None
    }

    /// The place of an address.
    pub(super) fn place(&self, at: u64) -> Option<usize> {
        self.find(at).map(|(place, _)| place)
    }

    /// Whether an instruction may begin at this address, in the function or a part of it.
    pub fn holds(&self, at: u64) -> bool {
        at & self.align.wrapping_sub(1) == 0 && self.find(at).is_some()
    }

    /// Whether an instruction that is decoded already begins at this address.
    pub fn is_code(&self, at: u64) -> bool {
        self.holds(at) && self.place(at).is_some_and(|place| self.code.has(place))
    }

    /// The address of a place.
    pub(super) fn address(&self, place: usize) -> u64 {
        let is_before = |stretch: &&Stretch| stretch.bytes != 0 && stretch.first <= place;
        let stretch = self.stretches.iter().rev().find(is_before);
        let stretch = stretch.copied().unwrap_or_default();
        let offset = place.wrapping_sub(stretch.first) as u64;
        stretch.start.wrapping_add(offset.wrapping_mul(self.align))
    }

    /// The bytes from an address on, and how many there are to the end of the stretch.
    #[inline]
    pub(super) fn code(&mut self, at: u64) -> Result<(Code, u64), Unwalked> {
        let (_, left) = self.find(at).ok_or(Unwalked::Unreadable(at))?;
        let code = self.window.code(at, left);
        Ok((code.ok_or(Unwalked::Unreadable(at))?, left))
    }

    /// The same through another window.
    pub(super) fn code_by(&self, window: &mut Window<'a>, at: u64) -> Option<Code> {
        let (_, left) = self.find(at)?;
        window.code(at, left)
    }

    /// The word at an address, if it is within the function.
    pub fn word(&mut self, at: u64) -> Result<Option<u32>, Unwalked> {
        if !self.holds(at) {
            return Ok(None);
        }
        let ([a, b, c, d, ..], _) = self.code(at)?;
        Ok(Some(u32::from_le_bytes([a, b, c, d])))
    }

    /// Marks this address as reached. Returns whether it is within the function.
    #[inline]
    pub fn reach(&mut self, at: u64) -> bool {
        let Some(place) = self.place(at) else {
            return false;
        };
        if !self.code.has(place) {
            self.reached.set(place);
        }
        true
    }

    /// Marks that control ends immediately before this address.
    pub(super) fn end_before(&mut self, at: u64) {
        if let Some(place) = self.place(at) {
            self.behind.set(place);
        }
    }

    /// `bytes` at this address are data; anything may follow them.
    pub fn is_data(&mut self, at: u64, bytes: u64) {
        self.has_data(at, bytes);
        self.end_before(at.wrapping_add(bytes));
    }

    /// At least `bytes` at this address are data.
    pub fn has_data(&mut self, at: u64, bytes: u64) {
        if mutant::is_chosen(Mutant::PoolIsCode) {
            return;
        }
        let mut offset = 0;
        while offset < bytes {
            if let Some(place) = self.place(at.wrapping_add(offset)) {
                self.data.set(place);
            }
            offset = offset.saturating_add(self.align);
        }
    }

    fn may_be_code(&self, place: usize) -> bool {
        !(self.code.has(place) || self.data.has(place) || self.known.has(place))
    }

    /// The lowest place that is reached and not decoded. Lowest first, since a literal mostly
    /// follows the instruction that loads it: it is then known to be data before control seems to
    /// run into it.
    pub(super) fn next_reached(&mut self) -> Option<usize> {
        loop {
            let place = self.reached.take()?;
            if self.may_be_code(place) {
                return Some(place);
            }
        }
    }

    /// The lowest place after an end of control that is neither code nor data.
    pub(super) fn next_gap(&mut self) -> Option<usize> {
        loop {
            let place = self.behind.take()?;
            if self.may_be_code(place) {
                return Some(place);
            }
        }
    }

    /// Whether no place is both data and an instruction, and the data of the previous round still
    /// are data.
    pub(super) fn is_settled(&self) -> bool {
        let code = self.code.words().iter().zip(self.known.words());
        let mut all = code.zip(self.data.words());
        all.all(|((code, known), data)| code & data == 0 && known & !data == 0)
    }

    /// Clears everything but the data.
    pub(super) fn begin_again(&mut self) {
        self.known.copy(&self.data);
        for marks in [&mut self.code, &mut self.exits, &mut self.data] {
            marks.clear();
        }
        self.reached.clear();
        self.behind.clear();
    }
}
