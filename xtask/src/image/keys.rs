//! A guest's SSH keys, one pair for login and a host key. Generated once per checkout: no guest has
//! to make its own at first login.

use std::path::{Path, PathBuf};

use ssh_key::rand_core::OsRng;
use ssh_key::{Algorithm, LineEnding, PrivateKey};

use crate::error::{Error, Result};
use crate::files;

const NAME: &str = "ssh-ed25519";

/// A guest's keys.
pub struct Keys {
    /// The user's private key, in OpenSSH's format.
    pub private: PathBuf,
    /// The user's public key.
    pub public: PathBuf,
    /// The line for authorized_keys.
    pub authorized: String,
    /// The host key as in known_hosts: type and base64.
    pub host_public: String,
    /// The host key in dropbear's format.
    pub host_private: Vec<u8>,
}

impl Keys {
    /// Loads the keys from a directory, or generates them there.
    pub fn load_or_generate(dir: &Path) -> Result<Self> {
        let private = dir.join("id_ed25519");
        let public = dir.join("id_ed25519.pub");
        let user = load_or_generate_key(&private)?;
        let host = load_or_generate_key(&dir.join("host_ed25519"))?;
        let authorized = public_line(&user, &private)?;
        if files::read(&public).ok().as_deref() != Some(authorized.as_bytes()) {
            files::write(&public, authorized.as_bytes())?;
        }
        Ok(Self {
            authorized,
            host_public: public_line(&host, &private)?,
            host_private: dropbear_format(&host)?,
            private,
            public,
        })
    }
}

fn load_or_generate_key(path: &Path) -> Result<PrivateKey> {
    if path.exists() {
        return PrivateKey::from_openssh(files::read(path)?).map_err(|e| unusable(path, e));
    }
    let key = PrivateKey::random(&mut OsRng, Algorithm::Ed25519).map_err(|e| unusable(path, e))?;
    let text = key
        .to_openssh(LineEnding::LF)
        .map_err(|e| unusable(path, e))?;
    files::write_with_mode(path, text.as_bytes(), 0o600)?;
    Ok(key)
}

fn public_line(key: &PrivateKey, path: &Path) -> Result<String> {
    key.public_key().to_openssh().map_err(|e| unusable(path, e))
}

fn unusable(path: &Path, error: ssh_key::Error) -> Error {
    let why = format!("not a usable key ({error}); remove it and a new one is made");
    Error::Content {
        path: path.into(),
        why,
    }
}

/// Two length-prefixed strings: the key type, and secret and public key concatenated.
fn dropbear_format(key: &PrivateKey) -> Result<Vec<u8>> {
    let pair = key.key_data().ed25519().ok_or_else(|| Error::Content {
        path: PathBuf::from("host_ed25519"),
        why: "not an ed25519 key; remove it and a new one is made".into(),
    })?;
    let halves = [pair.private.to_bytes().as_slice(), pair.public.as_ref()].concat();
    let string = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes(), bytes].concat();
    Ok([string(NAME.as_bytes()), string(&halves)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn keys_are_generated_once_with_mode_0600() {
        let dir = tempfile::tempdir().unwrap();
        let first = Keys::load_or_generate(dir.path()).unwrap();
        let again = Keys::load_or_generate(dir.path()).unwrap();
        assert_eq!(first.authorized, again.authorized);
        assert_eq!(first.host_private, again.host_private);
        assert_ne!(first.authorized, first.host_public);
        let mode = std::fs::metadata(&first.private)
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn dropbears_format_is_type_then_secret_and_public() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::load_or_generate(dir.path()).unwrap();
        let bytes = &keys.host_private;
        assert_eq!(bytes.len(), 4 + 11 + 4 + 64);
        assert_eq!(&bytes[4..15], NAME.as_bytes());
        assert_eq!(bytes[15..19], 64u32.to_be_bytes());
    }

    #[test]
    fn a_damaged_key_is_refused_with_the_fix() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("id_ed25519"), "junk").unwrap();
        let text = Keys::load_or_generate(dir.path())
            .err()
            .unwrap()
            .to_string();
        assert!(text.contains("remove it"), "{text}");
    }
}
