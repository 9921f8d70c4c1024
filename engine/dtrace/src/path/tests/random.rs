//! Random programs, executed by an interpreter that writes the events of a recorder.

use std::collections::HashMap;

use proptest::prelude::*;

use super::kit::{Events, file_of, replay, thread_path};

/// Where programs are.
const BASE: u64 = 0x40_0000;

#[derive(Debug, Clone, Copy)]
enum Op {
    Nop,
    Branch(usize),
    Jump(usize),
    Call(usize),
    JumpTo,
    CallTo,
    Return,
}

fn op() -> impl Strategy<Value = Op> {
    let to = any::<prop::sample::Index>().prop_map(|to| to.index(1 << 16));
    prop_oneof![
        4 => Just(Op::Nop),
        4 => to.clone().prop_map(Op::Branch),
        1 => to.clone().prop_map(Op::Jump),
        2 => to.prop_map(Op::Call),
        1 => Just(Op::JumpTo),
        1 => Just(Op::CallTo),
        3 => Just(Op::Return),
    ]
}

/// A program: its instructions, with their addresses and bytes.
struct Program(Vec<(u64, Op, Vec<u8>)>);

impl Program {
    fn new(ops: &[Op]) -> Self {
        let length = |op: &Op| match op {
            Op::Nop | Op::Return => 1,
            Op::JumpTo | Op::CallTo => 2,
            Op::Jump(_) | Op::Call(_) => 5,
            Op::Branch(_) => 6,
        };
        let mut addresses = vec![BASE];
        ops.iter()
            .for_each(|op| addresses.push(addresses[addresses.len() - 1] + length(op)));
        let bytes = |index: usize, op: &Op| {
            let direct = |code: &[u8], to: usize| {
                let to = addresses[to % ops.len()];
                let distance = to.wrapping_sub(addresses[index + 1]) as u32;
                [code, &distance.to_le_bytes()].concat()
            };
            match *op {
                Op::Nop => vec![0x90],
                Op::Return => vec![0xc3],
                Op::JumpTo => vec![0xff, 0xe1],
                Op::CallTo => vec![0xff, 0xd1],
                Op::Jump(to) => direct(&[0xe9], to),
                Op::Call(to) => direct(&[0xe8], to),
                Op::Branch(to) => direct(&[0x0f, 0x85], to),
            }
        };
        let all = ops.iter().enumerate();
        Self(
            all.map(|(index, op)| (addresses[index], *op, bytes(index, op)))
                .collect(),
        )
    }

    /// The text of the block that begins at an instruction.
    fn block(&self, from: usize) -> Vec<u8> {
        let mut text = Vec::new();
        for (_, op, bytes) in self.0[from..].iter().take(6) {
            text.extend(bytes);
            if !matches!(op, Op::Nop | Op::Branch(_)) {
                break;
            }
        }
        text
    }
}

/// A thread that is executed.
struct Thread<'a> {
    program: &'a Program,
    /// In blocks whose address has one of these bits, text can change.
    changing: u64,
    events: Events,
    path: Vec<u64>,
    /// How much of the path is up to the last decision.
    decided: usize,
    stack: Vec<usize>,
    /// The next instruction, and how many are left in its block.
    index: usize,
    left: usize,
}

impl<'a> Thread<'a> {
    /// Executes a program up to the last choice. `known` has the blocks of all threads.
    fn execute(
        program: &'a Program,
        choices: &[u16],
        known: &mut HashMap<usize, u32>,
        changing: u64,
    ) -> Self {
        let mut thread = Self {
            program,
            changing,
            events: Events::start(BASE),
            path: Vec::new(),
            decided: 0,
            stack: Vec::new(),
            index: 0,
            left: 0,
        };
        for choice in choices {
            // Up to the next decision, but not forever.
            for _ in 0..40 {
                if thread.index == program.0.len() {
                    return thread;
                }
                thread.enter(known);
                if thread.step(*choice) {
                    thread.decided = thread.path.len();
                    break;
                }
            }
        }
        thread
    }

    /// Enters a block if the last one is over.
    fn enter(&mut self, known: &mut HashMap<usize, u32>) {
        if self.left > 0 {
            return;
        }
        let (all, index) = (&self.program.0, self.index);
        let address = all[index].0;
        let changes = address & self.changing != 0;
        let text = self.program.block(index);
        self.left = Program::count(&text, &all[index..]);
        let mut events = std::mem::take(&mut self.events);
        let next = known.len() as u32 + 1;
        let number = known.get(&index).copied().unwrap_or(next);
        if known.insert(index, number).is_none() {
            events = events.text(number, u32::from(!changes), address, &text);
        }
        self.events = if changes {
            events.enter(number)
        } else {
            events
        };
    }

    /// Executes an instruction; returns whether it needed a choice.
    fn step(&mut self, choice: u16) -> bool {
        let all = &self.program.0;
        let (address, op, _) = &all[self.index];
        let behind = self.index + 1;
        let mut to = usize::from(choice) % all.len();
        self.path.push(*address);
        self.left -= 1;
        self.index = match *op {
            Op::Nop => {
                self.index = behind;
                return false;
            }
            Op::Branch(target) => {
                let is_taken = choice & 1 != 0;
                self.events.push_decision(is_taken);
                self.left = if is_taken { 0 } else { self.left };
                self.index = if is_taken { target % all.len() } else { behind };
                return true;
            }
            Op::Jump(target) | Op::Call(target) => target % all.len(),
            Op::JumpTo | Op::CallTo => to,
            Op::Return => {
                let usual = self.stack.pop().filter(|_| choice & 15 != 0);
                to = usual.filter(|usual| *usual < all.len()).unwrap_or(to);
                to
            }
        };
        self.left = 0;
        if matches!(op, Op::Call(_) | Op::CallTo) {
            self.stack.push(behind);
        }
        let is_decided = !matches!(op, Op::Jump(_) | Op::Call(_));
        if is_decided {
            self.events = std::mem::take(&mut self.events).target(all[to].0);
        }
        is_decided
    }
}

impl Program {
    /// The number of instructions that a text has.
    fn count(text: &[u8], from: &[(u64, Op, Vec<u8>)]) -> usize {
        let mut length = 0;
        let fits = |(_, _, bytes): &&(u64, Op, Vec<u8>)| {
            length += bytes.len();
            length <= text.len()
        };
        from.iter().take_while(fits).count()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_programs(
        ops in prop::collection::vec(op(), 3..60),
        choices in [prop::collection::vec(any::<u16>(), 0..400), prop::collection::vec(any::<u16>(), 0..400)],
        changing in prop_oneof![Just(0), Just(1), Just(4), Just(7)],
        piece in 1..200usize,
    ) {
        let program = Program::new(&ops);
        let mut known = HashMap::new();
        let threads = choices.map(|choices| Thread::execute(&program, &choices, &mut known, changing));
        let [one, two] = threads.each_ref().map(|it| it.events.bytes().chunks(piece));
        // The second thread, whose text is in part the first one's, comes first.
        let order = two.map(|it| (1, it)).chain(one.map(|it| (0, it)));
        let order: Vec<_> = order.collect();
        let (file, recorded) = file_of(&order);
        prop_assert_eq!(recorded.faults, vec![]);
        let all = replay(&file);
        prop_assert!(all.error.is_none() && all.is_complete, "{:?}", all.error);
        for (thread, executed) in [1, 0].into_iter().zip(&threads) {
            let path = thread_path(&all, thread);
            prop_assert!(executed.path.starts_with(&path));
            prop_assert!(path.len() >= executed.decided);
        }
    }
}
