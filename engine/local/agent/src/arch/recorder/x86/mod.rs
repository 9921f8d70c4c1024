//! x86-64. GS is the recorder's: its base is the thread's [`State`], so that translations need no register
//! for that.
//!
//! Contexts. *Translations*, in the cache; between two instructions of the program all its registers are as
//! it knows them. *Routines*, in [`entry`], which translations jump to. And [`runtime`], with the
//! program's registers saved, on a stack of the thread's own: there all signals are blocked but those of
//! faults. A signal that comes in between is delivered where the next instruction of the program begins:
//! the thread is stepped there ([`signals`]).

#[macro_use]
mod saved;

mod actions;
mod addresses;
mod areas;
mod begin;
mod cache;
mod calls;
mod emit;
mod entry;
mod events;
mod kernel;
mod known;
mod lock;
mod opcode;
mod region;
mod runtime;
mod shared;
mod signals;
mod state;
mod table;
mod translate;
