//! The sdt provider: the kernel's static tracepoints, each under the name that the kernel gives it.
//!
//! Only the tracepoints of the kernel proper are provided, as a module's would be unloaded with it.
//! A tracepoint is registered while its probe has active ECBs and costs the kernel nothing
//! otherwise. It is registered with the probe's ID, by which the hit is looked up in the live
//! table; it may be hit in any context, with preemption disabled. Unregistering waits for calls in
//! progress before the live table forgets the probe.

use alloc::vec::Vec;

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Provider, Published};
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::platform::{KERNEL_NAME, Platform};
use crate::probe::names::{Names, Span};

/// Limit of tracepoints. A kernel with every option enabled has about three thousand.
const POINTS_MAX: usize = 1 << 13;

/// A tracepoint and its probe.
#[derive(Debug)]
struct Point {
    /// The platform's handle of it.
    point: usize,
    name: Span,
    /// Active ECBs of its probe, over all consumers.
    ecbs: u32,
    is_registered: bool,
}

/// The provider's control side.
#[derive(Debug, Default)]
pub struct Sdt {
    names: Names,
    points: Vec<Point>,
}

impl<A: Arch> Provider<A> for Sdt {
    const NAME: &'static [u8] = b"sdt";
    const PROBES_MAX: usize = POINTS_MAX;

    type Live = Live;

    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut all = Self::default();
        platform.each_tracepoint(&mut |point, name| {
            if all.points.len() == POINTS_MAX {
                return Ok(());
            }
            let name = all.names.add(name)?;
            let point = Point {
                point,
                name,
                ecbs: 0,
                is_registered: false,
            };
            push(&mut all.points, point)
        })?;
        Ok(all)
    }

    fn numbers(&self) -> usize {
        self.points.len()
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let point = self.points.get(number)?;
        Some([KERNEL_NAME, b"", self.names.get(point.name)])
    }

    fn count(&mut self, number: usize, _: bool, change: &dyn Fn(u32) -> u32) {
        if let Some(point) = self.points.get_mut(number) {
            point.ecbs = change(point.ecbs);
        }
    }

    fn is_armed(&self, number: usize, _: &Subscriptions) -> bool {
        let point = self.points.get(number);
        point.is_some_and(|point| point.is_registered)
    }

    fn disarm<P: Platform>(&mut self, platform: &P, first_id: u32) {
        let mut any = false;
        for (id, point) in (first_id..).zip(&mut self.points) {
            if point.ecbs == 0 && point.is_registered {
                platform.tracepoint_unregister(point.point, id);
                point.is_registered = false;
                any = true;
                platform.cond_resched();
            }
        }
        if any {
            platform.tracepoints_synchronize();
        }
    }

    fn arm<P: Platform>(&mut self, platform: &P, first_id: u32) {
        for (id, point) in (first_id..).zip(&mut self.points) {
            if point.ecbs > 0 && !point.is_registered {
                let registered = platform.tracepoint_register(point.point, id);
                point.is_registered = registered.is_ok();
                platform.cond_resched();
            }
        }
    }

    fn publish(&mut self, table: &mut Table) -> Result<Live, OutOfMemory> {
        let mut live = Live::default();
        let wanted = self.points.iter().enumerate();
        for (number, point) in wanted.filter(|(_, point)| point.ecbs > 0) {
            let probe = Enabled {
                number: number as u32,
                name: table.add_name(self.names.get(point.name))?,
                probe: table.add_probe(number, point.ecbs)?,
            };
            push(&mut live.0, probe)?;
        }
        Ok(live)
    }

    fn place(&self, live: &Live, number: usize) -> Option<u32> {
        live.find(number).map(|found| found.probe)
    }
}

/// A tracepoint with active ECBs.
#[derive(Debug)]
struct Enabled {
    number: u32,
    name: Span,
    /// Index of its probe in the table.
    probe: u32,
}

/// The tracepoints with active ECBs, ordered by number.
#[derive(Debug, Default)]
pub struct Live(Vec<Enabled>);

impl Live {
    fn find(&self, number: usize) -> Option<&Enabled> {
        let found = self
            .0
            .binary_search_by_key(&number, |enabled| enabled.number as usize);
        self.0.get(found.ok()?)
    }
}

impl Published for Live {
    fn bytes(&self) -> usize {
        self.0.capacity().wrapping_mul(size_of::<Enabled>())
    }

    fn at_tracepoint<'t>(
        &'t self,
        table: &'t Table,
        number: usize,
        _: &mut [u64; 6],
    ) -> Option<(u32, [&'t [u8]; 3])> {
        let enabled = self.find(number)?;
        let name = table.names().get(enabled.name);
        Some((enabled.probe, [KERNEL_NAME, b"", name]))
    }
}
