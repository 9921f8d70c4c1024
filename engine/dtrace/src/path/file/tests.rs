use super::fields::{Fields, Malformed, put, put_bytes, put_difference};

#[test]
fn numbers_of_all_lengths() {
    for value in (0..64)
        .flat_map(|bit| [(1u64 << bit) - 1, 1 << bit])
        .chain([u64::MAX])
    {
        let mut bytes = Vec::new();
        put(&mut bytes, value);
        put_difference(&mut bytes, value, 77);
        put_bytes(&mut bytes, &[1, 2]);
        let mut fields = Fields::new(&bytes, 0);
        assert_eq!(fields.number(), Ok(value));
        assert_eq!(fields.difference(77), Ok(value));
        assert_eq!(fields.bytes(), Ok(&[1, 2][..]));
        assert_eq!(fields.byte(), Err(Malformed));
    }
}

#[test]
fn numbers_that_are_too_large() {
    for bytes in [
        &[0xff; 10][..],
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
    ] {
        assert_eq!(Fields::new(bytes, 0).number(), Err(Malformed));
    }
    assert_eq!(
        Fields::new(&[0xff, 0xff, 0xff, 0xff, 0x7f], 0).short(),
        Err(Malformed)
    );
}
