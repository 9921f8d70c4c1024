//! Expressions. None has a side effect, so their order of evaluation does not matter.

use super::chance::Chance;

/// What an expression can read.
#[derive(Default)]
pub struct Scope {
    /// Prefix of the program's names.
    pub program: String,
    /// Arrays in scope, with their lengths.
    pub arrays: Vec<(String, u64)>,
    /// Counters of the loops around.
    pub counters: Vec<String>,
}

/// Each function's integer variables.
const INTEGERS: [&str; 7] = ["b0", "h0", "w0", "w1", "s0", "q0", "q1"];

impl Scope {
    /// An expression of 32 bits, unsigned, nested so deep.
    pub fn word(&self, chance: &mut Chance, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(chance, "u32");
        }
        let x = self.word(chance, depth - 1);
        match chance.below(20) {
            0..=7 => {
                let y = self.word(chance, depth - 1);
                binary(chance, &x, &y, 31)
            }
            8 => format!(
                "(u32)({} >> {})",
                self.long(chance, depth - 1),
                chance.below(40)
            ),
            9 => format!(
                "(u32)(i32)({})({x})",
                chance.pick(&["i8", "i16", "u8", "u16"])
            ),
            10 => format!("(u32)((i32)({x}) >> {})", chance.below(32)),
            11 => format!(
                "(u32)((i32)({x}) {} {})",
                chance.pick(&["/", "%"]),
                chance.from(2, 1000)
            ),
            12 => format!("(u32)({})", self.condition(chance, depth - 1)),
            13 => {
                let (condition, y) = (self.condition(chance, depth - 1), self.leaf(chance, "u32"));
                format!("({condition} ? {x} : {y})")
            }
            14 => format!("random_roll({x}, {})", self.leaf(chance, "u32")),
            15 => format!("(u32)__builtin_clz(({x}) | 1)"),
            16 => format!("__builtin_bswap32({x})"),
            17 => chance
                .pick(&["(u32)(i64)d0", "(u32)(i32)f0", "(u32)(i64)(d0 * 3.5)"])
                .into(),
            18 => format!("(u32)strlen({}text + ({x}) % 12)", self.program),
            _ => format!("{}({x})", chance.pick(&["~", "-"])),
        }
    }

    /// The same of 64 bits.
    pub fn long(&self, chance: &mut Chance, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(chance, "u64");
        }
        let x = self.long(chance, depth - 1);
        match chance.below(14) {
            0..=5 => {
                let y = self.long(chance, depth - 1);
                binary(chance, &x, &y, 63)
            }
            6 => format!("(u64)({})", self.word(chance, depth - 1)),
            7 => format!("(u64)(i64)(i32)({})", self.word(chance, depth - 1)),
            8 => format!("(u64)((i64)({x}) >> {})", chance.below(64)),
            9 => {
                let y = self.word(chance, depth - 1);
                format!("((u64)({}) * ({y}))", self.leaf(chance, "u32"))
            }
            10 => format!(
                "({} ? {x} : {})",
                self.condition(chance, depth - 1),
                self.leaf(chance, "u64")
            ),
            11 => "random_bits(d0)".into(),
            12 => format!("({x} << {1} | {x} >> {0})", 64 - chance.from(7, 7), 7),
            _ => format!("~({x})"),
        }
    }

    /// A condition.
    pub fn condition(&self, chance: &mut Chance, depth: u32) -> String {
        let sign = chance.pick(&["==", "!=", "<", ">", "<=", ">="]);
        let (x, y) = (self.word(chance, depth), self.leaf(chance, "u32"));
        match chance.below(7) {
            0 => format!("((i32)({x}) {sign} (i32)({y}))"),
            1 => format!(
                "(({}) {sign} ({}))",
                self.long(chance, depth),
                self.leaf(chance, "u64")
            ),
            2 => format!("((i64)({}) {sign} (i64){y})", self.long(chance, depth)),
            3 => format!("(d0 {sign} (double)({}))", self.leaf(chance, "i32")),
            4 => format!(
                "((({x}) & {}) != 0 && (({y}) & 3) {sign} 1)",
                1 << chance.below(9)
            ),
            5 => format!(
                "((i8)({x}) < {} || ({y}) {sign} {})",
                chance.below(100),
                chance.below(5000)
            ),
            _ => format!("(({x}) {sign} ({y}))"),
        }
    }

    /// A double whose magnitude stays below 2^33, whatever is assigned in which order.
    pub fn double(&self, chance: &mut Chance) -> String {
        let number = format!("(double)(i32)({})", self.word(chance, 1));
        match chance.below(4) {
            0 => format!("d0 * 0.25 + {number} * 0.5"),
            1 => format!(
                "{number} / (double)(({} & 255) + 1)",
                self.leaf(chance, "u32")
            ),
            2 => format!("(double)f0 - {number} * 0.75"),
            _ => format!("({number} - d0) * 0.25"),
        }
    }

    /// The same of a float, below 2^19.
    pub fn float(&self, chance: &mut Chance) -> String {
        let number = format!("(float)(({}) & 0xffff)", self.word(chance, 1));
        match chance.below(3) {
            0 => format!("f0 * 0.5f + {number} * 0.125f"),
            1 => format!(
                "{number} / (float)(({} & 63) + 1)",
                self.leaf(chance, "u32")
            ),
            _ => format!("{number} - f0 * 0.25f"),
        }
    }

    /// A place in memory to store to, with its type's width as a cast.
    pub fn place(&self, chance: &mut Chance) -> String {
        let index = self.word(chance, 1);
        let mut all = self.arrays.clone();
        all.push((format!("{}global", self.program), 16));
        let (name, length) = &all[chance.below(all.len() as u64) as usize];
        format!("{name}[({index}) % {length}]")
    }

    /// A variable, constant or element, cast to a type.
    fn leaf(&self, chance: &mut Chance, cast: &str) -> String {
        match chance.below(12) {
            0..=6 => format!("({cast}){}", chance.pick(&INTEGERS)),
            7 => format!("({cast}){}ull", constant(chance)),
            8 => {
                let index = chance.pick(&["w0", "w1", "h0", "b0"]);
                format!("({cast}){}fixed[(u32){index} % 16]", self.program)
            }
            9 if !self.counters.is_empty() => {
                let at = chance.below(self.counters.len() as u64) as usize;
                format!("({cast}){}", self.counters[at])
            }
            _ => format!("({cast}){}", self.element(chance)),
        }
    }

    fn element(&self, chance: &mut Chance) -> String {
        if self.arrays.is_empty() || chance.one_in(3) {
            return format!("{}global[{}]", self.program, chance.below(16));
        }
        let at = chance.below(self.arrays.len() as u64) as usize;
        let (name, length) = &self.arrays[at];
        match chance.one_in(2) {
            true => format!("{name}[{}]", chance.below(*length)),
            false => format!(
                "{name}[(u32){} % {length}]",
                chance.pick(&["w0", "w1", "b0"])
            ),
        }
    }
}

/// A constant; instructions have room for some sizes only.
pub fn constant(chance: &mut Chance) -> u64 {
    let bits = chance.below(4);
    chance.number() >> [60, 52, 33, 0][bits as usize]
}

fn binary(chance: &mut Chance, x: &str, y: &str, mask: u32) -> String {
    match chance.below(10) {
        0 | 1 => format!("({x} + {y})"),
        2 => format!("({x} - {y})"),
        3 => format!("({x} * {y})"),
        4 => format!("({x} & {y})"),
        5 => format!("({x} | {y})"),
        6 => format!("({x} ^ {y})"),
        7 => format!("({x} {} ({y} | 1))", chance.pick(&["/", "%"])),
        8 => format!("({x} << ({y} & {mask}))"),
        _ => format!("({x} >> ({y} & {mask}))"),
    }
}
