//! Programs: some functions that call those before them, and a first one that calls them all.

use super::body::Body;
use super::call::{Callee, Form, call_of};
use super::chance::Chance;
use super::expression::{Scope, constant};

/// What a function may cost without the calls of others, in instructions at -O0, roughly.
const BUDGET: u64 = 420;
/// A recursive one calls itself less than so often.
const NESTED: u64 = 6;

/// What each function declares. Parameters are read into it first.
const LOCALS: &str = "u8 b0; u16 h0; u32 w0, w1; i32 s0; u64 q0, q1; double d0; float f0;";

/// A program as it is generated.
pub struct Program {
    number: usize,
    chance: Chance,
    callees: Vec<Callee>,
    text: String,
}

impl Program {
    /// The source of a program with this number in its names. Nothing else depends on the number.
    pub fn generate(number: usize, seed: u64) -> String {
        let mut program = Self {
            number,
            chance: Chance::new(seed),
            callees: Vec::new(),
            text: String::new(),
        };
        let mut forms = vec![
            Form::Plain,
            Form::Recursive,
            Form::Many,
            Form::Structures,
            Form::Variadic,
        ];
        let more = program.chance.below(3) as usize;
        forms.extend([Form::Plain, Form::Plain].iter().take(more));
        program.chance.shuffle(&mut forms);
        program.data(&forms);
        for (index, form) in forms.into_iter().enumerate() {
            program.function(index, form);
        }
        program.first();
        program.text
    }

    fn prefix(&self) -> String {
        format!("random_{}_", self.number)
    }

    /// Global data, and the table of plain functions, in their order.
    fn data(&mut self, forms: &[Form]) {
        let prefix = self.prefix();
        let plain = forms
            .iter()
            .enumerate()
            .filter(|(_, form)| **form == Form::Plain);
        let plain: Vec<_> = plain.map(|(index, _)| format!("{prefix}{index}")).collect();
        let mut numbers = || -> String {
            let all = (0..16).map(|_| format!("{:#x}ull, ", constant(&mut self.chance)));
            all.collect()
        };
        self.text = format!(
            "static u64 {prefix}global[16] = {{{}}};\nstatic const u64 {prefix}fixed[16] = {{{}}};\n",
            numbers(),
            numbers()
        );
        self.text += &format!("static char {prefix}text[] = \"some text to measure\";\n");
        for name in &plain {
            self.text += &format!("u64 {name}(u64, u32);\n");
        }
        let (count, listed) = (plain.len(), plain.join(", "));
        self.text +=
            &format!("static u64 (*const {prefix}table[{count}])(u64, u32) = {{{listed}}};\n");
    }

    fn function(&mut self, index: usize, form: Form) {
        let (mut scope, arrays) = self.scope();
        let repeats = if form == Form::Recursive { NESTED } else { 1 };
        // A call that is dear in itself would leave no room for loops.
        let calls = self
            .callees
            .iter()
            .map(|callee| callee.cost)
            .max()
            .unwrap_or(0);
        let budget = (BUDGET + calls.min(BUDGET / 2)) / repeats;
        let names = std::mem::take(&mut scope.arrays);
        let zeros = |name: &String| format!("\tmemset({name}, 0, sizeof {name});\n");
        let cleared: String = names.iter().map(|(name, _)| zeros(name)).collect();
        scope.arrays = names;
        let body = Body::new(&mut self.chance, scope, &self.callees, budget);
        let (text, spent, goes_out) = body.fill();
        let head = head(&self.prefix(), index, form);
        let out = if goes_out { "out:;\n" } else { "" };
        let folded = self.folded(&arrays);
        let end = self.end(index, form);
        self.text += &format!("{head}\t{arrays}\n{cleared}{text}{out}{folded}{end}}}\n");
        let tail = if end.contains("return random_") {
            BUDGET / 2
        } else {
            0
        };
        let cost = (spent + 80) * repeats + tail;
        self.callees.push(Callee { index, form, cost });
    }

    /// What a function's expressions see, and the declaration of its arrays.
    fn scope(&mut self) -> (Scope, String) {
        let mut scope = Scope {
            program: self.prefix(),
            ..Scope::default()
        };
        let mut declared = String::new();
        for at in 0..self.chance.below(4) {
            let name = format!("a{at}");
            let kind = self.chance.pick(&["u8", "u16", "u32", "u64"]);
            let length = [3, 8, 17, 64, 300, 5000][self.chance.below(6) as usize];
            declared += &format!("{kind} {name}[{length}]; ");
            scope.arrays.push((name, length));
        }
        (scope, declared)
    }

    /// Adds some of what was computed to what is returned.
    fn folded(&mut self, arrays: &str) -> String {
        let first = arrays.split_whitespace().nth(1);
        let element = first.and_then(|name| name.split('[').next());
        let element = element.map_or(String::new(), |name| format!(" + {name}[2]"));
        format!(
            "\tq0 += ((u64)w0 << 32 | w1) ^ (q1 << 9) ^ random_bits(d0){element};\n\tq1 += (u64)(u32)s0 * 31 + h0 * 7u + b0 + (u32)(i32)f0;\n"
        )
    }

    fn end(&mut self, index: usize, form: Form) -> String {
        let prefix = self.prefix();
        let plain = |callee: &&Callee| callee.form == Form::Plain && callee.cost < BUDGET;
        match form {
            Form::Plain => match self.callees.iter().rev().find(plain) {
                Some(callee) if self.chance.one_in(2) => {
                    format!("\treturn {prefix}{}(q0, w0);\n", callee.index)
                }
                _ => "\treturn q0 ^ q1;\n".into(),
            },
            Form::Recursive if self.chance.one_in(2) => {
                format!("\treturn {prefix}{index}(q0 ^ q1, depth - 1);\n")
            }
            Form::Recursive => format!("\treturn {prefix}{index}(q0, depth - 1) * 3 + q1;\n"),
            Form::Many => "\treturn (double)(i32)(q0 ^ q1 >> 32);\n".into(),
            Form::Structures => {
                "\tl0.a[2] ^= q0; l0.a[0] += q1; l0.d = w0; l0.a[1] ^= l0.d;\n\treturn l0;\n".into()
            }
            Form::Variadic => "\treturn q0 - q1;\n".into(),
        }
    }

    /// The function that calls all others.
    fn first(&mut self) {
        let scope = Scope {
            program: self.prefix(),
            ..Scope::default()
        };
        let mut calls = String::new();
        for callee in &self.callees {
            let call = call_of(&scope, &mut self.chance, callee);
            calls += &format!("\tq0 = q0 * 31 + {call};\n\tw0 += (u32)q0; q1 ^= q0 >> 7;\n");
        }
        let (number, prefix) = (self.number, self.prefix());
        let start = start("0x1234567ull", "77u");
        self.text += &format!(
            "ALONE u64 random_{number}(void) {{\n\t{LOCALS}\n{start}{calls}\tfor (w0 = 0; w0 < 16; w0++) q0 = q0 * 31 + {prefix}global[w0];\n\treturn q0 ^ q1;\n}}\n"
        );
    }
}

/// Sets the variables from a long number and a word.
fn start(long: &str, word: &str) -> String {
    format!(
        "\tq0 = {long}; w0 = {word}; q1 = q0 * 0x9e3779b97f4a7c15ull + w0; w1 = w0 ^ (u32)(q1 >> 32);\n\tb0 = (u8)w1; h0 = (u16)(w1 >> 9); s0 = (i32)(u32)q1; d0 = (double)s0 * 0.125; f0 = (float)h0 * 0.25f;\n"
    )
}

/// A function up to its first statement.
fn head(prefix: &str, index: usize, form: Form) -> String {
    let name = format!("{prefix}{index}");
    let (declared, before, (long, word), after) = match form {
        Form::Plain => (format!("u64 {name}(u64 a, u32 b)"), "", ("a", "b"), ""),
        Form::Recursive => (
            format!("u64 {name}(u64 a, u32 depth)"),
            "\tdepth %= 6;\n\tif (depth == 0) return a ^ 0x55;\n",
            ("a", "depth"),
            "",
        ),
        Form::Many => (
            format!(
                "double {name}(u8 a, i16 b, float c, u64 d, u32 e, double f, i32 g, u64 h, u8 i, double j, u32 k, u64 l)"
            ),
            "",
            ("d + h * 3 + (l ^ k)", "e ^ (u32)g"),
            "\tb0 = a + i; s0 = (i32)((u32)s0 ^ (u32)(i32)b); d0 = f * 0.25 + j * 0.5; f0 = c;\n",
        ),
        Form::Structures => (
            format!(
                "struct random_large {name}(struct random_small t0, struct random_pair p0, struct random_large l0)"
            ),
            "",
            ("p0.a + l0.a[3] * l0.a[1]", "t0.a - t0.c + l0.b"),
            "\td0 = p0.b * 0.5; f0 = l0.c; h0 = t0.b;\n",
        ),
        Form::Variadic => (
            format!("u64 {name}(u32 count, ...)"),
            "",
            ("count", "count"),
            "\tva_list all; va_start(all, count);\n\tfor (u32 n = 0; n < count; n++) {\n\t\tif (n % 3 == 0) q0 = q0 * 5 + va_arg(all, u64);\n\t\telse if (n % 3 == 1) w0 ^= va_arg(all, u32);\n\t\telse d0 = d0 * 0.5 + va_arg(all, double) * 0.5;\n\t}\n\tva_end(all);\n",
        ),
    };
    let start = start(long, word);
    format!("ALONE {declared} {{\n\t{LOCALS}\n{before}{start}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_calls_only_those_before_it_and_itself() {
        for seed in 0..20 {
            let text = Program::generate(7, seed);
            let mut defined = 0;
            for line in text.lines() {
                let end = if line.starts_with("ALONE") {
                    defined += 1;
                    defined
                } else {
                    defined
                };
                let called = line.split("random_7_").skip(1).filter_map(|rest| {
                    rest.split_once('(')
                        .and_then(|(index, _)| index.parse::<usize>().ok())
                });
                assert!(
                    line.starts_with("u64") || called.into_iter().all(|index| index < end),
                    "{line}"
                );
            }
            assert!((6..=8).contains(&defined));
        }
    }
}
