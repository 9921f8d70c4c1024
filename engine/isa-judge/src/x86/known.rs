//! Rows of x86 that no processor here implements in full, or of which nothing can be compared: on
//! any host, or because this host's CPUID lacks a feature.

use engine_isa::x86::{ROWS, Row};

/// Why no processor here implements some instructions that a row accepts, if known. Vector rows
/// always accept combinations that do not exist.
pub fn why_not_known<const WIDE: bool>(name: &str) -> Option<&'static str> {
    let is_vector = row(name).is_some_and(|row| form(row).is_some());
    let why = "operands that are to differ, or registers that there are not, make it none";
    let is_partly = !has_host::<WIDE>() && PARTLY_IN_QEMU.contains(&first(name));
    why_none::<WIDE>(name)
        .or(is_vector.then_some(why))
        .or(is_partly.then_some(ONLY_QEMU))
}

/// Whether the host's processor is used.
const fn has_host<const WIDE: bool>() -> bool {
    WIDE && cfg!(target_arch = "x86_64")
}

/// The first word of a row's name.
fn first(name: &str) -> &str {
    name.split([',', ' ']).next().unwrap_or_default()
}

/// The reason where the host's processor is not used.
const ONLY_QEMU: &str =
    "QEMU's processor has it not, or not with every operand and prefix, and no other is asked";

/// Rows that QEMU does not implement, by the first word of their names.
const NOT_IN_QEMU: &[&str] = &[
    "vmgexit",
    "monitorx",
    "clzero",
    "rdfsbase",
    "sha1msg1",
    "sha1rnds4",
];

/// Rows that QEMU implements in part.
const PARTLY_IN_QEMU: &[&str] = &[
    "bndcl", "popcnt", "rcpss", "insertq", "haddps", "cmpps", "cmppd", "cmpss", "cmpsd",
    "addsubps", "lddqu", "crc32",
];

/// Why no instruction of a row is compared here, if known.
pub fn why_none<const WIDE: bool>(name: &str) -> Option<&'static str> {
    let row = row(name)?;
    let first = first(name);
    let (form_text, _) = row.encoding.text().split_once('.').unwrap_or_default();
    let of_form = format!("{form_text} {first}");
    let is_listed = |firsts: &[&str]| {
        [first, &of_form, name]
            .iter()
            .any(|one| firsts.contains(one))
    };
    let of_any = ANYWHERE.iter().find(|(firsts, _)| is_listed(firsts));
    let mut taken = TAKEN.iter().filter(|(firsts, _)| is_listed(firsts));
    if let Some((_, why)) = of_any {
        return Some(why);
    }
    if !has_host::<WIDE>() {
        let is_lacking = form(row).is_some() || is_listed(NOT_IN_QEMU) || taken.next().is_some();
        return is_lacking.then_some(ONLY_QEMU);
    }
    let lacking = taken.find(|(_, feature)| !feature.is_here());
    let lacking = lacking.map(|(_, feature)| feature.name);
    lacking.or_else(|| form(row)?.lacking())
}

/// The name of this host's processor, and which of the features that rows need it has: this
/// determines how strict the checks are here.
#[cfg(target_arch = "x86_64")]
pub fn host() -> String {
    use std::arch::x86_64::__cpuid;
    let leaves = 0x8000_0002..=0x8000_0004_u32;
    let said = leaves
        .map(__cpuid)
        .flat_map(|r| [r.eax, r.ebx, r.ecx, r.edx]);
    let bytes: Vec<u8> = said.flat_map(u32::to_le_bytes).collect();
    let brand = String::from_utf8_lossy(&bytes).replace('\0', "");
    let features = [&VEX, &EVEX, &FP16, &XOP].map(|form| form.takes).concat();
    let (mut has, mut lacks) = (Vec::new(), Vec::new());
    for feature in features {
        let list = if feature.is_here() {
            &mut has
        } else {
            &mut lacks
        };
        if !list.contains(&feature.name) {
            list.push(feature.name);
        }
    }
    format!(
        "{}; has {}; lacks {}",
        brand.trim(),
        list_of(&has),
        list_of(&lacks)
    )
}

/// The same for a host that is not x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub fn host() -> String {
    "not an x86-64, and not asked".to_owned()
}

#[cfg(target_arch = "x86_64")]
fn list_of(names: &[&str]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(" ")
}

fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Rows, by the first word of their names, that on any host are not implemented in full or not
/// compared, each with the reason.
const ANYWHERE: &[(&[&str], &str)] = &[
    (
        &[
            "rdtscp", "rdrand", "rdseed", "rdpid", "rdtsc", "rdpmc", "rdpru",
        ],
        "they are not the same when they are executed twice",
    ),
    (&["ins", "insb", "in", "out", "outsb"], "there are no ports"),
    (&["jmp far imm"], "there is no other segment to go to"),
    (
        &[
            "vmlaunch", "vmcall", "vmxoff", "vmload", "clgi", "vmrun", "invlpga", "invlpgb",
            "vmread", "vmclear", "vmxon", "vmptrld", "xrstors", "invept", "pconfig", "enclv",
            "encls", "tdcall", "seamops",
        ],
        "they are for whoever runs virtual machines, or manages memory for all",
    ),
    (
        &[
            "lkgs",
            "wrmsrns",
            "rdmsrlist",
            "mcommit",
            "hreset",
            "enqcmds",
            "enqcmd",
        ],
        "they are newer than QEMU's processor, and no host lets programs do them",
    ),
    (
        &[
            "rstorssp",
            "setssbsy",
            "saveprevssp",
            "clrssbsy",
            "wrussd",
            "wrssd",
            "testui",
            "clui",
            "senduipi",
            "tilerelease",
            "ldtilecfg",
            "sttilecfg",
            "tileloaddt1",
            "tilestored",
            "tileloadd",
            "tilezero",
            "tdpbf16ps",
            "tdpfp16ps",
            "tdpbuud",
            "tdpbusd",
            "tdpbsud",
            "tdpbssd",
            "tcmmrlfp16ps",
            "tcmmimfp16ps",
        ],
        "shadow stacks, user interrupts and tiles are not switched on for a program that did not ask",
    ),
    (
        &["prefetch", "prefetchw"],
        "some makers' processors have none with a register in place of memory",
    ),
];

/// A CPUID feature: leaf and subleaf, the register of EAX to EDX, and the bit.
#[derive(Clone, Copy, Debug)]
struct Feature {
    leaf: u32,
    part: u32,
    register: usize,
    bit: u32,
    /// Its name, or the reason to give if it is missing.
    name: &'static str,
}

const fn feature(leaf: u32, part: u32, register: usize, bit: u32, name: &'static str) -> Feature {
    Feature {
        leaf,
        part,
        register,
        bit,
        name,
    }
}

const EAX: usize = 0;
const EBX: usize = 1;
const ECX: usize = 2;
const EDX: usize = 3;
/// The leaf with most features.
const MORE: u32 = 7;
const OF_AMD: u32 = 0x8000_0001;

/// Features that rows need and Unicorn's EPYC lacks, by the first word of the rows' names; with an
/// encoding before it, only for that encoding.
const TAKEN: &[(&[&str], Feature)] = &[
    (
        &["xbegin", "xabort", "xtest"],
        feature(MORE, 0, EBX, 11, "this host has no transactions"),
    ),
    (
        &[
            "gf2p8mulb",
            "gf2p8affineqb",
            "gf2p8affineinvqb",
            "vgf2p8mulb",
            "vgf2p8affineinvqb",
            "vgf2p8affineqb",
        ],
        feature(MORE, 0, ECX, 8, "this host has no GFNI"),
    ),
    (
        &["serialize"],
        feature(MORE, 0, EDX, 14, "this host has no SERIALIZE"),
    ),
    (
        &["xsusldtrk"],
        feature(MORE, 0, EDX, 16, "this host has no TSXLDTRK"),
    ),
    (
        &["rdpkru"],
        feature(
            MORE,
            0,
            ECX,
            4,
            "this host has no protection keys, or has them off",
        ),
    ),
    (
        &["monitorx", "mwaitx"],
        feature(OF_AMD, 0, ECX, 29, "this host has no MONITORX"),
    ),
    (
        &["vmgexit"],
        feature(OF_AMD, 0, ECX, 2, "this host has no SVM, or hides it"),
    ),
    (
        &["clzero"],
        feature(0x8000_0008, 0, EBX, 0, "this host has no CLZERO"),
    ),
    (
        &["extrq", "insertq", "movntss", "movntsd"],
        feature(OF_AMD, 0, ECX, 6, "this host has no SSE4A"),
    ),
    (
        &["ptwrite"],
        feature(0x14, 0, EBX, 4, "this host has no PTWRITE"),
    ),
    (
        &[
            "aesdecwide128kl",
            "aesenc128kl",
            "aesdec128kl",
            "encodekey128",
            "loadiwkey",
        ],
        feature(0x19, 0, EBX, 0, "this host has no Key Locker"),
    ),
    (
        &["movdir64b"],
        feature(MORE, 0, ECX, 28, "this host has no MOVDIR64B"),
    ),
    (
        &["movdiri"],
        feature(MORE, 0, ECX, 27, "this host has no MOVDIRI"),
    ),
    (
        &["aadd", "aand", "axor", "aor"],
        feature(MORE, 1, EAX, 3, "this host has no RAO-INT"),
    ),
    (
        &["umonitor", "tpause"],
        feature(MORE, 0, ECX, 5, "this host has no WAITPKG"),
    ),
    (
        &["VEX vpdpbusd"],
        feature(MORE, 1, EAX, 4, "this host has no AVX-VNNI"),
    ),
    (
        &["VEX vpmadd52huq"],
        feature(MORE, 1, EAX, 23, "this host has no AVX-IFMA"),
    ),
    (
        &["vpdpbuud", "vpdpbsud", "vpdpbssd"],
        feature(MORE, 1, EDX, 4, "this host has no AVX-VNNI-INT8"),
    ),
    (
        &["vpdpwuud", "vpdpwusd", "vpdpwsud"],
        feature(MORE, 1, EDX, 10, "this host has no AVX-VNNI-INT16"),
    ),
    (
        &[
            "VEX vcvtneps2bf16",
            "vcvtneoph2ps",
            "vbcstnesh2ps",
            "vbcstnebf162ps",
            "vcvtneobf162ps",
        ],
        feature(MORE, 1, EDX, 5, "this host has no AVX-NE-CONVERT"),
    ),
    (
        &["vsha512rnds2", "vsha512msg1"],
        feature(MORE, 1, EAX, 0, "this host has no SHA512"),
    ),
    (
        &["vsm3msg1", "vsm3msg2", "vsm3rnds2"],
        feature(MORE, 1, EAX, 1, "this host has no SM3"),
    ),
    (
        &["vsm4key4", "vsm4rnds4"],
        feature(MORE, 1, EAX, 2, "this host has no SM4"),
    ),
    (
        &["cmpbexadd"],
        feature(MORE, 1, EAX, 7, "this host has no CMPCCXADD"),
    ),
    (
        &["vpermil2pd", "vfmaddsubpd", "vfmaddpd", "vfnmaddpd"],
        feature(
            OF_AMD,
            0,
            ECX,
            16,
            "this host has no FMA4, which goes with XOP",
        ),
    ),
    (
        &["blcfill", "blci", "XOP bextr"],
        feature(OF_AMD, 0, ECX, 21, "this host has no TBM"),
    ),
    (
        &["llwpcb", "lwpins"],
        feature(OF_AMD, 0, ECX, 15, "this host has no LWP"),
    ),
    (
        &["vp4dpwssd"],
        feature(MORE, 0, EDX, 2, "this host has no AVX512_4VNNIW"),
    ),
    (
        &["v4fmaddps", "v4fmaddss", "v4fnmaddps", "v4fnmaddss"],
        feature(MORE, 0, EDX, 3, "this host has no AVX512_4FMAPS"),
    ),
    (
        &["vp2intersectd"],
        feature(MORE, 0, EDX, 8, "this host has no AVX512_VP2INTERSECT"),
    ),
    (
        &["vgatherpf0dpd"],
        feature(MORE, 0, EBX, 26, "this host has no AVX512PF"),
    ),
    (
        &[
            "vexp2pd",
            "vrcp28pd",
            "vrcp28sd",
            "vrsqrt28pd",
            "vrsqrt28sd",
        ],
        feature(MORE, 0, EBX, 27, "this host has no AVX512ER"),
    ),
];

/// A vector encoding.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The features that all its rows need, unless they are in [`TAKEN`].
    takes: &'static [Feature],
    lacking: &'static str,
}

fn form(row: &Row) -> Option<&'static Form> {
    let (form, _) = row.encoding.text().split_once('.')?;
    Some(match form {
        "VEX" if is_of_masks(row) => &EVEX,
        "VEX" => &VEX,
        "EVEX" if is_fp16(row) => &FP16,
        "EVEX" => &EVEX,
        "XOP" => &XOP,
        _ => return None,
    })
}

/// Whether a VEX row is for AVX-512's mask registers.
fn is_of_masks(row: &Row) -> bool {
    first(row.name).starts_with('k')
}

/// Whether an EVEX row belongs to AVX512-FP16, as some of map 3 do, by their prefix.
fn is_fp16(row: &Row) -> bool {
    let text = row.encoding.text();
    row.section.contains("FP16") || ["NP.0F3A", "F3.0F3A"].iter().any(|map| text.contains(map))
}

const VEX: Form = Form {
    takes: &[
        feature(1, 0, ECX, 28, "AVX"),
        feature(1, 0, ECX, 12, "FMA"),
        feature(1, 0, ECX, 29, "F16C"),
        feature(MORE, 0, EBX, 3, "BMI1"),
        feature(MORE, 0, EBX, 5, "AVX2"),
        feature(MORE, 0, EBX, 8, "BMI2"),
        feature(MORE, 0, ECX, 9, "VAES"),
        feature(MORE, 0, ECX, 10, "VPCLMULQDQ"),
    ],
    lacking: "this host has not all of AVX and AVX2 with AES and carry-less multiplication",
};
const EVEX: Form = Form {
    takes: &[
        feature(MORE, 0, EBX, 16, "AVX512F"),
        feature(MORE, 0, EBX, 17, "AVX512DQ"),
        feature(MORE, 0, EBX, 21, "AVX512_IFMA"),
        feature(MORE, 0, EBX, 28, "AVX512CD"),
        feature(MORE, 0, EBX, 30, "AVX512BW"),
        feature(MORE, 0, EBX, 31, "AVX512VL"),
        feature(MORE, 0, ECX, 1, "AVX512_VBMI"),
        feature(MORE, 0, ECX, 6, "AVX512_VBMI2"),
        feature(MORE, 0, ECX, 9, "VAES"),
        feature(MORE, 0, ECX, 10, "VPCLMULQDQ"),
        feature(MORE, 0, ECX, 11, "AVX512_VNNI"),
        feature(MORE, 0, ECX, 12, "AVX512_BITALG"),
        feature(MORE, 0, ECX, 14, "AVX512_VPOPCNTDQ"),
        feature(MORE, 1, EAX, 5, "AVX512_BF16"),
    ],
    lacking: "this host has not all of AVX-512",
};
const FP16: Form = Form {
    takes: &[feature(MORE, 0, EDX, 23, "AVX512_FP16")],
    lacking: "this host has no AVX512-FP16",
};
const XOP: Form = Form {
    takes: &[feature(OF_AMD, 0, ECX, 11, "XOP")],
    lacking: "this host has no XOP",
};

impl Form {
    fn lacking(&self) -> Option<&'static str> {
        let has_all = self.takes.iter().all(Feature::is_here);
        (!has_all).then_some(self.lacking)
    }
}

impl Feature {
    /// Whether this host's CPUID has it.
    #[cfg(target_arch = "x86_64")]
    fn is_here(&self) -> bool {
        use std::arch::x86_64::__cpuid_count;
        // A leaf is valid up to the maximum that its range's first leaf reports.
        let last = __cpuid_count(self.leaf & 0x8000_0000, 0).eax;
        if self.leaf > last {
            return false;
        }
        let said = __cpuid_count(self.leaf, self.part);
        [said.eax, said.ebx, said.ecx, said.edx][self.register] >> self.bit & 1 == 1
    }

    /// No CPUID on this host.
    #[cfg(not(target_arch = "x86_64"))]
    fn is_here(&self) -> bool {
        false
    }
}
