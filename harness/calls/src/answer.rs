//! What a call answered, in words.

use syscalls::Errno;

/// A number, or the name of an error.
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
    fn an_answer_is_a_number_an_error_or_none() {
        assert_eq!(text(Some(7)), "7");
        assert_eq!(text(Some(usize::MAX)), "EPERM");
        assert_eq!(text(Some(usize::MAX - 4094)), "error 4095");
        assert_eq!(text(None), "did not return");
    }
}
