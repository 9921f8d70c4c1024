//! The registers that an instruction runs on, by name.

use std::fmt;
use std::ops::{Index, IndexMut, Range, RangeFrom};

/// The names of a set's registers, in the order of a state. A register wider than 64 bits has
/// several names.
pub type Names = &'static [String];

/// The values of all registers that an instruction may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    names: Names,
    values: Vec<u64>,
}

impl State {
    /// All zero.
    pub fn zero(names: Names) -> Self {
        let values = vec![0; names.len()];
        Self { names, values }
    }

    /// The number of registers.
    pub const fn count(&self) -> usize {
        self.names.len()
    }

    /// Sets a register by name; `None` if there is no such register.
    pub fn set(&mut self, name: &str, value: u64) -> Option<()> {
        let place = self.names.iter().position(|known| known == name)?;
        self.values[place] = value;
        Some(())
    }

    /// The name and both values of each register that differs in another state.
    pub fn differences<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (usize, &'a str, u64, u64)> {
        let pairs = self.values.iter().zip(&other.values).enumerate();
        let differing = pairs.filter(|(_, (one, other))| one != other);
        differing.map(|(place, (one, other))| (place, &*self.names[place], *one, *other))
    }
}

macro_rules! index {
    ($($by:ty => $output:ty),+) => {
        $(impl Index<$by> for State {
            type Output = $output;

            fn index(&self, place: $by) -> &$output {
                &self.values[place]
            }
        }

        impl IndexMut<$by> for State {
            fn index_mut(&mut self, place: $by) -> &mut $output {
                &mut self.values[place]
            }
        })+
    };
}

index!(usize => u64, Range<usize> => [u64], RangeFrom<usize> => [u64]);

/// The nonzero registers, by name.
impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.names.iter().zip(&self.values);
        let mut space = "";
        for (name, value) in named.filter(|(_, value)| **value != 0) {
            write!(out, "{space}{name}={value:x}")?;
            space = " ";
        }
        Ok(())
    }
}
