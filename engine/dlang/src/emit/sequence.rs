//! The permitted order of actions in a clause.
//!
//! A clause has at most one record, either in the principal buffer or in a speculation, and a
//! commit moves what other firings recorded.

use crate::error::Mistake;
use crate::functions::Action;
use crate::tag::Tag;
use crate::tree::Statement;

/// What an action does, as far as later actions depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Commit,
    Speculate,
    Aggregate,
    Exit,
    /// It records something, by which the command changes the system.
    Destroy,
    /// It changes the system.
    Change,
    Record,
    /// Nothing that later actions depend on.
    None,
}

/// The actions of a clause so far.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    commits: bool,
    speculates: bool,
    aggregates: bool,
    records: bool,
}

impl Sequence {
    /// Checks that an action may come next.
    pub(super) fn add(&mut self, effect: Effect, line: u32) -> Result<(), Mistake> {
        let refused = match effect {
            Effect::Commit => self.commit(),
            Effect::Speculate => self.speculate(),
            Effect::Aggregate => self.aggregate(),
            Effect::Exit | Effect::Destroy | Effect::Record => self.record(effect),
            Effect::Change => self.change(),
            Effect::None => None,
        };
        match refused {
            Some((tag, message)) => Err(Mistake::new(tag, line, message)),
            None => Ok(()),
        }
    }

    fn commit(&mut self) -> Option<(Tag, &'static str)> {
        if self.records || self.aggregates {
            let message = "commit( ) may not follow data-recording action(s)";
            return Some((Tag::CommDrec, message));
        }
        self.commits = true;
        None
    }

    fn speculate(&mut self) -> Option<(Tag, &'static str)> {
        if self.speculates {
            return Some((Tag::SpecSpec, "speculate( ) may not follow speculate( )"));
        }
        if self.commits {
            return Some((Tag::SpecComm, "speculate( ) may not follow commit( )"));
        }
        if self.records || self.aggregates {
            let message = "speculate( ) may not follow data-recording action(s)";
            return Some((Tag::SpecDrec, message));
        }
        self.speculates = true;
        None
    }

    fn aggregate(&mut self) -> Option<(Tag, &'static str)> {
        if self.commits {
            return Some((Tag::AggComm, "aggregating actions may not follow commit( )"));
        }
        if self.speculates {
            let message = "aggregating actions may not follow speculate( )";
            return Some((Tag::AggSpec, message));
        }
        self.aggregates = true;
        None
    }

    fn change(&self) -> Option<(Tag, &'static str)> {
        let message = "destructive actions may not follow speculate( )";
        self.speculates.then_some((Tag::ActSpec, message))
    }

    fn record(&mut self, effect: Effect) -> Option<(Tag, &'static str)> {
        if self.speculates && effect == Effect::Exit {
            return Some((Tag::ExitSpec, "exit( ) may not follow speculate( )"));
        }
        if effect == Effect::Destroy
            && let Some(refused) = self.change()
        {
            return Some(refused);
        }
        if self.commits {
            let message = "data-recording actions may not follow commit( )";
            return Some((Tag::DrecComm, message));
        }
        self.records |= !self.speculates;
        None
    }
}

/// The effect of a statement.
pub(super) fn effect(statement: &Statement) -> Effect {
    match statement {
        Statement::Expression(_) | Statement::Mention { .. } => Effect::None,
        Statement::Aggregate { .. } => Effect::Aggregate,
        Statement::Action { action, .. } => match action {
            Action::Commit => Effect::Commit,
            Action::Speculate => Effect::Speculate,
            Action::Exit => Effect::Exit,
            Action::System | Action::Freopen => Effect::Destroy,
            Action::Discard => Effect::None,
            _ if action.subroutine().is_some() => Effect::Change,
            _ => Effect::Record,
        },
    }
}

/// Whether a statement needs a record.
pub(super) fn records(statement: &Statement) -> bool {
    matches!(
        effect(statement),
        Effect::Exit | Effect::Destroy | Effect::Record
    )
}

/// Whether it is `speculate()`.
pub(super) fn is_speculation(statement: &Statement) -> bool {
    effect(statement) == Effect::Speculate
}
