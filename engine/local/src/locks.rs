//! The engine's locks over those of the standard library.
//!
//! Poisoning is ignored: the engine does not panic while it holds a lock, nor does what it runs, so
//! a poisoned value is still consistent.

use std::sync::{Mutex, PoisonError, RwLock, TryLockError};

use engine_tracer::{Lock, OutOfMemory, Rcu, TryLock};

/// A lock that sleeps until it is free.
pub struct Sleeping<T>(Mutex<T>);

impl<T: Send> Lock<T> for Sleeping<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A lock that is only tried.
pub struct Guard<T>(Mutex<T>);

impl<T: Send> TryLock<T> for Guard<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        match self.0.try_lock() {
            Ok(mut value) => Some(work(&mut value)),
            Err(TryLockError::Poisoned(value)) => Some(work(&mut value.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A published value. Readers hold it shared, so replacing it waits for them.
pub struct Replaced<T>(RwLock<Option<T>>);

impl<T: Send + Sync> Rcu<T> for Replaced<T> {
    fn empty() -> Self {
        Self(RwLock::new(None))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        let value = self.0.read().unwrap_or_else(PoisonError::into_inner);
        work(value.as_ref())
    }

    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory> {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::replace(&mut *place, value))
    }
}
