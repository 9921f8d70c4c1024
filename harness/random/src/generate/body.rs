//! Statements, and what they cost: a function's body ends when it has run about so many
//! instructions as it may.

use super::call::{Callee, Form, call_of, copy_of};
use super::chance::Chance;
use super::expression::{Scope, constant};

/// Instructions of a simple statement at -O0, roughly.
const STATEMENT: u64 = 14;
/// Statements nest so deep.
const DEPTH: usize = 4;

/// A body that grows.
pub struct Body<'a> {
    pub chance: &'a mut Chance,
    pub scope: Scope,
    /// The functions that it can call.
    pub callees: &'a [Callee],
    /// What it costs so far.
    pub spent: u64,
    /// Whether a statement goes to the label `out`, which is behind the last one.
    pub goes_out: bool,
    budget: u64,
    /// How often the present statement runs.
    times: u64,
    /// Whether `break` and `continue` mean a loop.
    in_loop: Vec<bool>,
    labels: usize,
    text: String,
}

impl<'a> Body<'a> {
    /// An empty one that may cost so much.
    pub fn new(chance: &'a mut Chance, scope: Scope, callees: &'a [Callee], budget: u64) -> Self {
        Self {
            chance,
            scope,
            callees,
            spent: 0,
            goes_out: false,
            budget,
            times: 1,
            in_loop: Vec::new(),
            labels: 0,
            text: String::new(),
        }
    }

    /// Its text, with statements until the budget is spent.
    pub fn fill(mut self) -> (String, u64, bool) {
        while self.spent + 2 * STATEMENT < self.budget {
            self.statement();
        }
        (self.text, self.spent, self.goes_out)
    }

    fn line(&mut self, text: &str) {
        let indent = 1 + self.in_loop.len();
        self.text.extend(std::iter::repeat_n('\t', indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Whether there is room for something of this cost; if so, it is spent.
    fn spend(&mut self, cost: u64) -> bool {
        let all = self.spent + cost * self.times;
        let fits = all <= self.budget;
        if fits {
            self.spent = all;
        }
        fits
    }

    fn statement(&mut self) {
        let nests = self.in_loop.len() < DEPTH;
        match self.chance.below(16) {
            0..=2 if nests => self.repeat(),
            3 | 4 if nests => self.choose(),
            5 if nests => self.switch(),
            6 | 7 => self.call(),
            8 => self.copy(),
            9 => self.leave(),
            10 => self.go_back(),
            _ => self.assign(),
        }
    }

    fn statements(&mut self, is_loop: bool, most: u64) {
        self.in_loop.push(is_loop);
        for _ in 0..self.chance.from(1, most) {
            self.statement();
        }
        self.in_loop.pop();
    }

    fn assign(&mut self) {
        if !self.spend(STATEMENT) {
            return;
        }
        let (scope, chance) = (&self.scope, &mut *self.chance);
        let text = match chance.below(9) {
            0 | 1 => {
                let sign = chance.pick(&["=", "+=", "^=", "-=", "*=", "|="]);
                let name = chance.pick(&["w0", "w1"]);
                format!("{name} {sign} {};", scope.word(chance, 2))
            }
            2 | 3 => {
                let sign = chance.pick(&["=", "+=", "^=", "-=", "*="]);
                let name = chance.pick(&["q0", "q1"]);
                format!("{name} {sign} {};", scope.long(chance, 2))
            }
            4 => {
                let (name, cast) =
                    [("b0", "u8"), ("h0", "u16"), ("s0", "i32")][chance.below(3) as usize];
                format!("{name} = ({cast})({});", scope.word(chance, 2))
            }
            5 => format!("d0 = {};", scope.double(chance)),
            6 => format!("f0 = {};", scope.float(chance)),
            _ => {
                let sign = chance.pick(&["=", "^=", "|="]);
                let (place, value) = (scope.place(chance), scope.long(chance, 1));
                format!("{place} {sign} {value};")
            }
        };
        self.line(&text);
    }

    /// A loop. Its trips are counted by a variable that nothing else writes.
    fn repeat(&mut self) {
        let trips = self.chance.from(2, 12);
        if !self.spend(trips * STATEMENT) {
            return self.assign();
        }
        let counter = self.name("i");
        let end = match self.chance.one_in(3) {
            true => format!("{} % {trips} + 1", self.scope.word(self.chance, 1)),
            false => trips.to_string(),
        };
        self.line(&format!(
            "{{ u32 {counter} = 0; const u32 {counter}_end = {end};"
        ));
        let kind = self.chance.below(3);
        self.line(&match kind {
            0 => format!("for (; {counter} < {counter}_end; {counter}++) {{"),
            1 => format!("while ({counter}++ < {counter}_end) {{"),
            _ => "do {".to_string(),
        });
        self.times *= trips;
        self.scope.counters.push(counter.clone());
        self.statements(true, 4);
        self.scope.counters.pop();
        self.times /= trips;
        self.line(&match kind {
            2 => format!("}} while (++{counter} < {counter}_end); }}"),
            _ => "} }".to_string(),
        });
    }

    fn choose(&mut self) {
        if !self.spend(STATEMENT) {
            return;
        }
        let condition = self.scope.condition(self.chance, 1);
        self.line(&format!("if {condition} {{"));
        self.statements_in_branch(3);
        for _ in 0..self.chance.below(3) {
            let condition = self.scope.condition(self.chance, 1);
            self.line(&format!("}} else if {condition} {{"));
            self.statements_in_branch(2);
        }
        if self.chance.one_in(2) {
            self.line("} else {");
            self.statements_in_branch(3);
        }
        self.line("}");
    }

    /// Statements that belong to the loop around them.
    fn statements_in_branch(&mut self, most: u64) {
        let in_loop = self.in_loop.last().copied().unwrap_or(false);
        self.statements(in_loop, most);
    }

    /// Cases that are dense become a table of jumps, others comparisons.
    fn switch(&mut self) {
        if !self.spend(STATEMENT) {
            return;
        }
        let cases = self.chance.from(4, 14);
        let step = *[1, 1, 3, 1000]
            .get(self.chance.below(4) as usize)
            .unwrap_or(&1);
        let value = self.scope.word(self.chance, 1);
        self.line(&format!("switch (({value}) % {cases} * {step}) {{"));
        for case in 0..cases {
            self.line(&format!("case {}:", case * step));
            match self.chance.one_in(4) {
                true => self.statements(false, 2),
                false => self.assign_cheaply(),
            }
            if !self.chance.one_in(5) {
                self.line("break;");
            }
        }
        self.line("default:");
        self.assign_cheaply();
        self.line("}");
    }

    /// One of many cases, of which one runs: costs nothing.
    fn assign_cheaply(&mut self) {
        let (name, value) = (
            self.chance.pick(&["w0", "w1", "q0", "q1"]),
            constant(self.chance),
        );
        let sign = self.chance.pick(&["+=", "^=", "-=", "*="]);
        self.line(&format!("{name} {sign} {value}ull;"));
    }

    /// The costs of a call count in each trip of the loops around it.
    fn call(&mut self) {
        if self.callees.is_empty() {
            return self.assign();
        }
        let plain = self
            .callees
            .iter()
            .filter(|callee| callee.form == Form::Plain);
        let (plain, dearest) = plain.fold((0, 0), |(n, most), c| (n + 1, c.cost.max(most)));
        let is_table = plain > 1 && self.chance.one_in(3);
        let callee = self.callees[self.chance.below(self.callees.len() as u64) as usize].clone();
        let cost = if is_table { dearest } else { callee.cost };
        if !self.spend(STATEMENT + cost) {
            return self.assign();
        }
        let (scope, chance) = (&self.scope, &mut *self.chance);
        let value = match is_table {
            true => {
                let (index, program) = (scope.word(chance, 1), &scope.program);
                let (first, second) = (scope.long(chance, 1), scope.word(chance, 1));
                format!("{program}table[({index}) % {plain}]({first}, {second})")
            }
            false => call_of(scope, chance, &callee),
        };
        let (name, sign) = (
            self.chance.pick(&["q0", "q1"]),
            self.chance.pick(&["^=", "+=", "="]),
        );
        self.line(&format!("{name} {sign} {value};"));
    }

    fn copy(&mut self) {
        if self.scope.arrays.is_empty() || !self.spend(2 * STATEMENT) {
            return self.assign();
        }
        let at = self.chance.below(self.scope.arrays.len() as u64) as usize;
        let (name, length) = &self.scope.arrays[at];
        let text = copy_of(&self.scope, self.chance, name, *length);
        self.line(&text);
    }

    fn leave(&mut self) {
        if !self.spend(STATEMENT / 2) {
            return;
        }
        let condition = self.scope.condition(self.chance, 1);
        let how = match (self.chance.below(4), self.in_loop.last()) {
            (0 | 1, Some(true)) => self.chance.pick(&["break;", "continue;"]).to_string(),
            // Rarely, or little else would run.
            _ if self.in_loop.is_empty() && !self.chance.one_in(4) => return self.assign(),
            (2, _) => {
                self.goes_out = true;
                "goto out;".into()
            }
            _ => "{ q0 += 0x5bd1e995; goto out; }".into(),
        };
        self.goes_out |= how.contains("goto");
        // A `continue` in a switch would be the loop's around it, which is fine too.
        self.line(&format!("if ({condition} && (w0 & 3) == 1) {how}"));
    }

    /// A loop that no statement of loops makes.
    fn go_back(&mut self) {
        let trips = self.chance.from(2, 5);
        if !self.spend(trips * STATEMENT * 2) {
            return self.assign();
        }
        let label = self.name("again");
        self.line(&format!("{{ u32 {label}_count = 0; {label}:"));
        self.assign_cheaply();
        let value = self.scope.word(self.chance, 1);
        self.line(&format!("w0 ^= {value};"));
        self.line(&format!("if (++{label}_count < {trips}) goto {label}; }}"));
    }

    fn name(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}{}", self.labels)
    }
}
