//! The table from names to types.
//!
//! IDs are sorted into buckets by a hash of their names, in two passes that no choice of names makes
//! longer. A bucket keeps the order of IDs, so the first type of a name is found first.

use crate::id::TypeId;

/// IDs by the hash of their names.
#[derive(Debug)]
pub struct Names {
    /// Where each bucket begins in `ids`; one more than there are buckets.
    starts: Vec<u32>,
    ids: Vec<TypeId>,
}

impl Names {
    /// Makes the table of all types with a name. `name` is asked twice for each.
    pub fn build<'b>(
        ids: impl Iterator<Item = TypeId> + Clone,
        name: impl Fn(TypeId) -> &'b [u8],
    ) -> Self {
        let hashed = || {
            ids.clone()
                .map(|id| (id, name(id)))
                .filter(|(_, n)| !n.is_empty())
        };
        let hashes: Vec<(TypeId, u32)> = hashed().map(|(id, name)| (id, hash(name))).collect();
        let buckets = hashes.len().next_power_of_two();
        let mut starts = vec![0_u32; buckets + 1];
        for (_, hash) in &hashes {
            starts[bucket(*hash, buckets) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut sorted = vec![TypeId::VOID; hashes.len()];
        for (id, hash) in hashes {
            let at = &mut next[bucket(hash, buckets)];
            sorted[*at as usize] = id;
            *at += 1;
        }
        Self {
            starts,
            ids: sorted,
        }
    }

    /// The types that may have a name, in the order of their IDs.
    pub fn candidates(&self, name: &[u8]) -> &[TypeId] {
        let bucket = bucket(hash(name), self.starts.len() - 1);
        let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        &self.ids[range]
    }
}

fn bucket(hash: u32, buckets: usize) -> usize {
    hash as usize & (buckets - 1)
}

/// FNV-1a, with its high bits folded into those that choose a bucket.
fn hash(name: &[u8]) -> u32 {
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = name.iter().fold(0x811c_9dc5, step);
    hash ^ hash >> 15
}
