//! Addresses of the network as text.

use crate::names::Subroutine;

/// The longest text: of an InfiniBand address.
const TEXT_MAX: usize = 20 * 3;

/// The largest address in bytes.
pub(crate) const ADDRESS_MAX: usize = 20;

/// A kind of address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    V4,
    V6,
    Ethernet,
    Infiniband,
}

impl Kind {
    /// The kind that a subroutine formats; `number` is the address family (`AF_INET` is 2,
    /// `AF_INET6` is 10) or the type of hardware (`ARPHRD_ETHER` is 1, `ARPHRD_INFINIBAND` is 32).
    pub(crate) fn of(subroutine: Subroutine, number: u64) -> Option<Self> {
        match (subroutine, number) {
            (Subroutine::InetNtoa, _) | (Subroutine::InetNtop, 2) => Some(Self::V4),
            (Subroutine::InetNtoa6, _) | (Subroutine::InetNtop, 10) => Some(Self::V6),
            (Subroutine::LinkNtop, 1) => Some(Self::Ethernet),
            (Subroutine::LinkNtop, 32) => Some(Self::Infiniband),
            _ => None,
        }
    }

    /// Size of an address in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::V4 => 4,
            Self::V6 => 16,
            Self::Ethernet => 6,
            Self::Infiniband => ADDRESS_MAX,
        }
    }

    /// An address of this kind as text.
    pub(crate) fn text(self, address: &[u8; ADDRESS_MAX]) -> Text {
        let mut text = Text {
            bytes: [0; TEXT_MAX],
            length: 0,
        };
        let address = address.get(..self.size()).unwrap_or_default();
        match self {
            Self::V4 => text.dotted(address),
            Self::V6 => text.groups(address),
            Self::Ethernet | Self::Infiniband => text.pairs(address),
        }
        text
    }
}

/// A text under construction.
pub(crate) struct Text {
    bytes: [u8; TEXT_MAX],
    length: usize,
}

impl Text {
    /// Its bytes, without a NUL.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length = self.length.wrapping_add(1);
        }
    }

    fn digit(&mut self, digit: u16) {
        let from = if digit < 10 { b'0' } else { b'a' - 10 };
        self.push(from.wrapping_add(digit as u8));
    }

    fn decimal(&mut self, byte: u8) {
        for power in [100_u8, 10, 1] {
            if byte >= power || power == 1 {
                let digit = byte.checked_div(power).unwrap_or(0) % 10;
                self.digit(digit.into());
            }
        }
    }

    fn dotted(&mut self, address: &[u8]) {
        for (number, byte) in address.iter().enumerate() {
            if number > 0 {
                self.push(b'.');
            }
            self.decimal(*byte);
        }
    }

    fn pairs(&mut self, address: &[u8]) {
        for (number, byte) in address.iter().enumerate() {
            if number > 0 {
                self.push(b':');
            }
            self.digit((byte >> 4).into());
            self.digit((byte & 15).into());
        }
    }

    /// An IPv6 address: groups without leading zeros, and `::` for the longest run of at least two
    /// zeros. An IPv4 address in one is written as such, as in DTrace.
    fn groups(&mut self, address: &[u8]) {
        let mut groups = [0; 8];
        let (pairs, _) = address.as_chunks();
        for (group, bytes) in groups.iter_mut().zip(pairs) {
            *group = u16::from_be_bytes(*bytes);
        }
        if holds_v4(groups) {
            self.dotted(address.get(12..).unwrap_or_default());
            return;
        }
        let (first, count) = longest_zeros(groups);
        let behind = first.wrapping_add(count);
        for (number, group) in groups.into_iter().enumerate() {
            if number == first && count > 0 {
                self.push(b':');
                self.push(b':');
            }
            if (first..behind).contains(&number) {
                continue;
            }
            if number > 0 && number != behind {
                self.push(b':');
            }
            self.group(group);
        }
    }

    fn group(&mut self, group: u16) {
        for shift in [12_u32, 8, 4, 0] {
            let digits = group.wrapping_shr(shift);
            if digits > 0 || shift == 0 {
                self.digit(digits & 15);
            }
        }
    }
}

/// Whether it is an IPv4-mapped address, or an IPv4-compatible one other than `::` and `::1`.
fn holds_v4(groups: [u16; 8]) -> bool {
    match groups {
        [0, 0, 0, 0, 0, 0xffff, _, _] => true,
        [0, 0, 0, 0, 0, 0, high, low] => high > 0 || low > 1,
        _ => false,
    }
}

/// The first of the longest runs of zeros: its first group, and their number, which is 0 for less
/// than two.
fn longest_zeros(groups: [u16; 8]) -> (usize, usize) {
    let (mut best, mut run) = ((0, 0), 0_usize);
    for (number, group) in (1_usize..).zip(groups) {
        run = if group == 0 { run.wrapping_add(1) } else { 0 };
        if run > best.1 && run > 1 {
            best = (number.wrapping_sub(run), run);
        }
    }
    if best.1 == 0 { (groups.len(), 0) } else { best }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};
    use std::string::{String, ToString};

    use super::*;

    fn text(kind: Kind, bytes: &[u8]) -> String {
        let mut address = [0; ADDRESS_MAX];
        address[..bytes.len()].copy_from_slice(bytes);
        String::from_utf8(kind.text(&address).as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn an_ipv4_address_is_dotted() {
        for bytes in [[0, 0, 0, 0], [127, 0, 0, 1], [255, 10, 99, 100]] {
            assert_eq!(text(Kind::V4, &bytes), Ipv4Addr::from(bytes).to_string());
        }
    }

    #[test]
    fn every_run_of_zeros_is_written_as_rust_does() {
        for zeros in 0..=u8::MAX {
            let groups: [u16; 8] = core::array::from_fn(|at| match zeros >> at & 1 {
                1 => 0,
                _ => [0xabcd, 0x1, 0x20, 0x300][at % 4],
            });
            let address = Ipv6Addr::from(groups);
            if !holds_v4(groups) {
                assert_eq!(text(Kind::V6, &address.octets()), address.to_string());
            }
        }
    }

    #[test]
    fn an_ipv4_address_in_an_ipv6_address_is_dotted() {
        for (address, expected) in [
            ("::", "::"),
            ("::1", "::1"),
            ("::2", "0.0.0.2"),
            ("::127.0.0.1", "127.0.0.1"),
            ("::ffff:0.0.0.0", "0.0.0.0"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("::fffe:7f00:1", "::fffe:7f00:1"),
        ] {
            let octets = address.parse::<Ipv6Addr>().unwrap().octets();
            assert_eq!(text(Kind::V6, &octets), expected, "{address}");
        }
    }

    #[test]
    fn a_link_address_has_two_digits_a_byte() {
        assert_eq!(
            text(Kind::Ethernet, &[0, 1, 0x2f, 0xff, 4, 5]),
            "00:01:2f:ff:04:05"
        );
        let long: [u8; 20] = core::array::from_fn(|at| at as u8 * 13);
        assert_eq!(
            text(Kind::Infiniband, &long),
            "00:0d:1a:27:34:41:4e:5b:68:75:82:8f:9c:a9:b6:c3:d0:dd:ea:f7"
        );
    }

    #[test]
    fn other_families_have_no_text() {
        for (subroutine, number) in [
            (Subroutine::InetNtop, 1),
            (Subroutine::LinkNtop, u64::MAX),
            (Subroutine::Strlen, 2),
        ] {
            assert_eq!(Kind::of(subroutine, number), None);
        }
    }
}
