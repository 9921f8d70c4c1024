//! The random programs' sources: C without undefined or unspecified behaviour, so that a program
//! computes the same at every level of optimization and on every machine. Expressions have no side
//! effects, arithmetic is of unsigned 32 or 64 bits, shifts are masked, indices are remainders,
//! divisors are odd, and doubles and floats stay so small that they can be converted.

mod body;
mod call;
mod chance;
mod expression;
mod program;

use program::Program;

/// How many sources there are. Each is compiled at each level, under names of its own.
pub const SOURCES: usize = 20;
/// The levels of optimization, as in `-O0`. Program N is source N / 5 at level N % 5.
pub const LEVELS: [&str; 5] = ["0", "1", "2", "3", "s"];

/// A unit with these programs.
pub fn unit(programs: impl Iterator<Item = usize>) -> String {
    let sources = programs.map(|number| {
        let seed = number / LEVELS.len();
        Program::generate(number, seed as u64)
    });
    let mut text = String::from(PRELUDE);
    text.extend(sources);
    text
}

/// A unit with the table of all programs' first functions.
pub fn table() -> String {
    let all = || 0..SOURCES * LEVELS.len();
    let declared: String = all()
        .map(|n| format!("extern unsigned long long random_{n}(void);\n"))
        .collect();
    let listed: Vec<_> = all().map(|n| format!("random_{n}")).collect();
    let count = listed.len();
    let listed = listed.join(", ");
    format!(
        "{declared}unsigned long long (*const trapline_programs[{count}])(void) = {{{listed}}};\n"
    )
}

/// What all programs of a unit share.
const PRELUDE: &str = "\
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
typedef int8_t i8; typedef int16_t i16; typedef int32_t i32; typedef int64_t i64;
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
#define ALONE __attribute__((noipa))
struct random_small { u32 a; u16 b; u8 c; };
struct random_pair { u64 a; double b; };
struct random_large { u64 a[4]; u16 b; float c; u32 d; };
static inline u32 random_roll(u32 x, u32 by) { return x << (by & 31) | x >> (-by & 31); }
static inline u64 random_bits(double x) { u64 bits; memcpy(&bits, &x, sizeof bits); return bits; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_the_same_each_time() {
        assert_eq!(unit(0..5), unit(0..5));
    }

    #[test]
    fn levels_of_a_source_differ_in_names_only() {
        let named = |number: usize| {
            let text = unit(number..=number);
            text.replace(&format!("random_{number}"), "random_N")
        };
        assert_eq!(named(5), named(9));
        assert_ne!(named(5), named(10));
    }

    #[test]
    fn the_programs_have_each_construct() {
        let text = unit(0..SOURCES * LEVELS.len());
        for construct in [
            "switch (",
            "for (",
            "while (",
            "do {",
            "goto ",
            "va_arg",
            "memcpy(",
            "memmove(",
            "memset(",
            "memcmp(",
            "strlen(",
            "table[",
            "return random_",
            "continue;",
            "break;",
            "random_roll(",
            "double",
            "float",
            "struct random_large ",
            "i8",
            "i16",
            "clz",
        ] {
            assert!(text.contains(construct), "{construct}");
        }
    }

    #[test]
    fn the_table_has_every_program() {
        let text = table();
        let last = SOURCES * LEVELS.len() - 1;
        assert!(text.contains("random_0,") && text.contains(&format!("random_{last}}}")));
    }
}
