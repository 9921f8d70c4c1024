//! The result of a system call, as text.

use syscalls::Errno;

/// The value or the errno's name; `None` stands for a call that never returned.
pub fn text(answer: Option<usize>) -> String {
    let Some(answer) = answer else {
        return "did not return".into();
    };
    match Errno::from_ret(answer) {
        Ok(value) => value.to_string(),
        Err(error) => error
            .name()
            .map_or_else(|| format!("error {}", error.into_raw()), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_a_number_an_errno_or_missing() {
        assert_eq!(text(Some(7)), "7");
        assert_eq!(text(Some(usize::MAX)), "EPERM");
        assert_eq!(text(Some(usize::MAX - 4094)), "error 4095");
        assert_eq!(text(None), "did not return");
    }
}
