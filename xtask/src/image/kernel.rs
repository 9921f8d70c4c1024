//! Converts a packaged kernel into the form that QEMU takes: decompressed on the host, which is
//! faster than in the guest, and wrapped as a uImage where QEMU would use the wrong load address.

use std::io::Read;

use liblzma::read::XzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::guest::{Form, Kernel};

const XZ_MAGIC: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const UIMAGE_MAGIC: u32 = 0x2705_1956;
const UIMAGE_HEADER: usize = 64;

/// The kernel that QEMU is given; `None` if the image lacks the payload that it should have.
pub fn prepare(image: &[u8], guest: &Kernel) -> Option<Vec<u8>> {
    let kernel = match guest.image {
        Form::Packaged => image.to_vec(),
        Form::Payload => payload(image)?,
    };
    Some(match guest.load_address {
        Some(address) => uimage(&kernel, address),
        None => kernel,
    })
}

/// The kernel inside a self-extracting image: of the xz and zstd streams in it, the one that
/// unpacks to most.
fn payload(image: &[u8]) -> Option<Vec<u8>> {
    let all = streams(image, XZ_MAGIC).filter_map(unpack_xz);
    let all = all.chain(streams(image, ZSTD_MAGIC).filter_map(unpack_zstd));
    all.max_by_key(Vec::len)
}

/// What begins with `magic`, to the image's end.
fn streams<'i>(image: &'i [u8], magic: &'i [u8]) -> impl Iterator<Item = &'i [u8]> {
    let starts = image.windows(magic.len()).enumerate();
    let starts = starts.filter(move |(_, window)| *window == magic);
    starts.map(|(at, _)| &image[at..])
}

fn unpack_xz(stream: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    XzDecoder::new(stream).read_to_end(&mut data).ok()?;
    Some(data)
}

/// Of the first frame.
fn unpack_zstd(stream: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    let mut decoder = StreamingDecoder::new(stream).ok()?;
    decoder.read_to_end(&mut data).ok()?;
    Some(data)
}

/// A raw kernel with a legacy uImage header: uncompressed, load and entry address the same.
fn uimage(kernel: &[u8], load: u32) -> Vec<u8> {
    const LINUX: u8 = 5;
    const ARM: u8 = 2;
    const KERNEL: u8 = 2;
    const UNCOMPRESSED: u8 = 0;
    let size = u32::try_from(kernel.len()).expect("a kernel for a 32-bit machine is below 4 GiB");
    let header = |header_crc: u32| {
        let numbers = [
            UIMAGE_MAGIC,
            header_crc,
            0,
            size,
            load,
            load,
            crc32fast::hash(kernel),
        ];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_be_bytes()).collect();
        bytes.extend([LINUX, ARM, KERNEL, UNCOMPRESSED]);
        bytes.extend(b"trapline guest");
        bytes.resize(UIMAGE_HEADER, 0);
        bytes
    };
    // The header's checksum is computed with its own field zero.
    let mut image = header(crc32fast::hash(&header(0)));
    image.extend(kernel);
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn xz(data: &[u8]) -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_largest_stream_is_the_kernel() {
        let image = [
            b"stub".as_slice(),
            XZ_MAGIC,
            &xz(b"small"),
            &xz(&[7; 5000]),
            b"tail",
        ]
        .concat();
        assert_eq!(payload(&image), Some(vec![7; 5000]));
    }

    #[test]
    fn a_kernel_packed_by_zstd_is_unpacked() {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        let packed = compress_to_vec(&[7; 5000][..], CompressionLevel::Fastest);
        let image = [b"stub".as_slice(), ZSTD_MAGIC, &packed, b"tail"].concat();
        assert_eq!(payload(&image), Some(vec![7; 5000]));
    }

    #[test]
    fn an_image_without_a_stream_has_no_payload() {
        assert_eq!(payload(b"no kernel here"), None);
    }

    fn boots(image: Form, load_address: Option<u32>) -> Kernel {
        Kernel {
            image,
            load_address,
            dtb: None,
            dtb_enable: Vec::new(),
            modules: Vec::new(),
            append: String::new(),
            spare_modules: Vec::new(),
            convert_types: false,
        }
    }

    #[test]
    fn a_kernel_is_unpacked_and_wrapped_only_where_the_guest_says_so() {
        let image = [b"stub".as_slice(), &xz(b"kernel")].concat();
        let prepared = |form, address| prepare(&image, &boots(form, address)).unwrap();
        assert_eq!(prepared(Form::Packaged, None), image);
        assert_eq!(prepared(Form::Payload, None), b"kernel");
        let wrapped = uimage(b"kernel", 0x8000);
        assert_eq!(prepared(Form::Payload, Some(0x8000)), wrapped);
        assert_eq!(prepare(b"bare", &boots(Form::Payload, None)), None);
    }

    #[test]
    fn the_header_is_the_one_mkimage_writes() {
        let image = uimage(b"kernel", 0x8000);
        assert_eq!(image.len(), 64 + 6);
        assert_eq!(image[..4], [0x27, 0x05, 0x19, 0x56]);
        assert_eq!(image[12..16], 6u32.to_be_bytes());
        assert_eq!(image[16..20], 0x8000u32.to_be_bytes());
        assert_eq!(image[20..24], 0x8000u32.to_be_bytes());
        assert_eq!(image[24..28], crc32fast::hash(b"kernel").to_be_bytes());
        assert_eq!(image[28..32], [5, 2, 2, 0]);
        let mut zeroed = image[..64].to_vec();
        zeroed[4..8].fill(0);
        assert_eq!(image[4..8], crc32fast::hash(&zeroed).to_be_bytes());
    }
}
