//! Prints a record: its line or indentation, and what its clause's actions recorded.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use engine_abi::Record;
use engine_dlang::format::Format;
use engine_dlang::program::{Action, Field, Program};

use crate::aggregation::Aggregations;
use crate::engine::Enabled;
use crate::error::{Error, reason};
use crate::fault;
use crate::flow::Flow;
use crate::output::{Output, report, texts};
use crate::print::{self, Style, field, signed_of, unsigned_of, until_nul};
use crate::setting::Settings;
use crate::shell;
use crate::symbols::Symbols;
use crate::user_symbols::UserSymbols;

/// Output beyond this size is flushed early, since a terminal needs some time for it.
const FLUSH_SIZE: usize = 64 << 10;

/// State that printing keeps from one record to the next.
pub struct Printer<'a> {
    program: &'a Program,
    output: &'a mut Output,
    style: Style,
    /// The options; `setopt` may change some.
    settings: Settings,
    /// Whether it has since [`Printer::changed`].
    has_changed: bool,
    /// Called now and then while a command runs.
    alive: Box<dyn Fn() + 'a>,
    /// `_DTRACE_TESTING`: omits CPUs and IDs, which differ from run to run.
    is_testing: bool,
    /// Whether the column header was printed.
    is_headed: bool,
    /// The indentation of `flowindent`.
    pub flow: Flow,
    /// The aggregations drained so far.
    pub aggregations: Aggregations,
    /// The status of the last `exit()`.
    pub exit_status: u8,
}

impl<'a> Printer<'a> {
    /// A printer for records of `program`.
    pub fn new(
        program: &'a Program,
        settings: &Settings,
        output: &'a mut Output,
    ) -> Result<Self, Error> {
        Ok(Self {
            program,
            output,
            style: Style {
                quiet: settings.quiet,
                raw_bytes: settings.raw_bytes,
                stack_indent: indent(settings),
                symbols: Symbols::default(),
                users: UserSymbols::default(),
            },
            settings: settings.clone(),
            has_changed: false,
            alive: Box::new(|| {}),
            is_testing: std::env::var_os("_DTRACE_TESTING").is_some(),
            is_headed: false,
            flow: Flow::default(),
            aggregations: Aggregations::new(&program.aggregations)?,
            exit_status: 0,
        })
    }

    /// Prints a record. `next` is EPID and probe ID of the next one. None, and nothing printed,
    /// if the record is shorter than its clause's fields.
    pub fn print(
        &mut self,
        cpu: u32,
        enabled: &Enabled,
        record: &Record<'_>,
        next: Option<(u32, u32)>,
    ) -> Option<()> {
        let program = self.program;
        let clause = program.clauses.get(enabled.clause as usize)?;
        let mut fields = clause.actions.iter().flat_map(fields);
        if fields.any(|it| it.offset as usize + it.size as usize > record.data.len()) {
            return None;
        }
        self.header();
        if self.settings.flow_indent {
            let place = self.flow.place(record.header.epid, enabled, next);
            self.flow_line(cpu, &place);
        } else if !self.style.quiet {
            self.line(cpu, enabled);
        }
        for action in &clause.actions {
            if let Err(why) = self.act(action, record.data) {
                let place = fault::place(enabled);
                report(format_args!("error on {place}: {why}"));
            }
        }
        if !self.style.quiet {
            self.output.line(format_args!(""));
        }
        Some(())
    }

    /// Has `alive` called now and then while a command runs.
    pub fn with_pulse(mut self, alive: impl Fn() + 'a) -> Self {
        self.alive = Box::new(alive);
        self
    }

    /// The options, if `setopt` has changed any.
    pub fn changed(&mut self) -> Option<&Settings> {
        std::mem::take(&mut self.has_changed).then_some(&self.settings)
    }

    /// Sets the processes that are known.
    pub fn set_users(&mut self, users: UserSymbols) {
        self.style.users = users;
    }

    /// Merges an entry of a CPU's aggregations; false if it fits none. Addresses in its key are named
    /// now, as their processes may be gone when it is printed.
    pub fn add(&mut self, row: u32, data: &[u8]) -> bool {
        let known = self.program.aggregations.get(row as usize);
        let settled = known.and_then(|it| print::settled(&self.style, &it.keys, data));
        self.aggregations
            .add(row, settled.as_deref().unwrap_or(data))
    }

    /// Prints the aggregations that `printa` has not printed.
    pub fn print_rest(&mut self) {
        let out = self.output.buffer();
        self.aggregations
            .print_rest(out, &self.style, &self.settings.aggregation_options);
    }

    /// Ends the line.
    pub fn end_line(&mut self) {
        self.output.line(format_args!(""));
    }

    /// Flushes the output once there is much of it.
    pub fn flush_if_large(&mut self) -> Result<(), Error> {
        match self.output.buffer().len() {
            0..FLUSH_SIZE => Ok(()),
            _ => self.output.flush(),
        }
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.output.flush()
    }

    fn header(&mut self) {
        if std::mem::replace(&mut self.is_headed, true) {
            return;
        }
        match (self.settings.flow_indent, self.is_testing) {
            (true, false) => self.output.line(format_args!("CPU {:<41}", "FUNCTION")),
            (true, true) => self.output.line(format_args!("{:<41}", "FUNCTION")),
            (false, _) if self.style.quiet => {}
            (false, false) => {
                self.output
                    .line(format_args!("CPU     ID {:>32}", "FUNCTION:NAME"));
            }
            (false, true) => self.output.line(format_args!("{:>32}", "FUNCTION:NAME")),
        }
    }

    fn line(&mut self, cpu: u32, enabled: &Enabled) {
        let [_, _, function, name] = texts(&enabled.probe.description);
        let place = format!("{function}:{name}");
        let line = match self.is_testing {
            false => format!("{cpu:>3} {:>6} {place:>32} ", enabled.probe.id),
            true => format!("{place:>32} "),
        };
        self.output.buffer().extend_from_slice(line.as_bytes());
    }

    fn flow_line(&mut self, cpu: u32, place: &str) {
        let line = match self.is_testing {
            false => format!("{cpu:>3} {place:<41} "),
            true => format!("{place:<41} "),
        };
        self.output.buffer().extend_from_slice(line.as_bytes());
    }

    /// Performs an action; the error is a message.
    fn act(&mut self, action: &Action, data: &[u8]) -> Result<(), String> {
        let out = self.output.buffer();
        let all = &mut self.aggregations;
        match action {
            Action::System(format, fields) => {
                let command = self.formatted(format, fields, data);
                return self.system(&command);
            }
            Action::Freopen(format, fields) => {
                let path = self.formatted(format, fields, data);
                return self.freopen(&path);
            }
            Action::Ftruncate => self.output.truncate(),
            Action::Setopt(name, value) => {
                let text = |it: &Field| String::from_utf8_lossy(until_nul(field(it, data))).into();
                return self.setopt(text(name), value.as_ref().map(text));
            }
            Action::Tracemem(memory, number) => {
                let bytes = field(memory, data);
                let number = number.map_or(i64::MAX, |it| signed_of(field(&it, data)));
                let number = usize::try_from(number).unwrap_or(bytes.len());
                print::dump(out, bytes.get(..number).unwrap_or(bytes));
            }
            Action::Print(shape, value, address) => {
                let address = address.map(|it| unsigned_of(field(&it, data)));
                print::value(out, shape, field(value, data), address);
            }
            Action::Trace(it) => print::trace(out, &self.style, it.kind, field(it, data)),
            Action::Stack(it) => print::stack(out, &self.style, it.kind, field(it, data)),
            Action::Printf(format, fields) => {
                print::format(out, &self.style, format, (fields, data), &[]);
            }
            Action::Printa(format, which) => {
                all.print(
                    out,
                    &self.style,
                    &self.settings.aggregation_options,
                    format.as_deref(),
                    which,
                );
            }
            Action::Exit(it) => self.exit_status = signed_of(field(it, data)) as u8,
            Action::Clear(row) => all.clear(*row),
            Action::Trunc(row, most) => {
                let most = most.map_or(0, |it| signed_of(field(&it, data)));
                all.truncate(*row, most);
            }
            Action::Normalize(row, factor) => all.normalize(*row, unsigned_of(field(factor, data))),
            Action::Denormalize(row) => all.denormalize(*row),
        }
        Ok(())
    }

    fn formatted(&self, format: &Format, fields: &[Field], data: &[u8]) -> OsString {
        let mut text = Vec::new();
        print::format(&mut text, &self.style, format, (fields, data), &[]);
        OsString::from_vec(text)
    }

    /// Runs a command; what was printed before comes before its output.
    fn system(&mut self, command: &OsStr) -> Result<(), String> {
        // A failure to write is met again when the rest is written.
        let _ = self.output.flush();
        shell::run(command, shell::PULSE, || (self.alive)())
            .map_err(|why| format!("couldn't run \"{}\": {}", command.display(), reason(&why)))
    }

    /// Has output appended to a file, or restores it if the path is empty.
    fn freopen(&mut self, path: &OsStr) -> Result<(), String> {
        let done = match path.is_empty() {
            true => self.output.restore(),
            false => self.output.reopen(Path::new(path)),
        };
        done.map_err(|why| {
            format!(
                "couldn't freopen() \"{}\": {}",
                path.display(),
                reason(&why)
            )
        })
    }

    /// Sets an option that may change while tracing.
    fn setopt(&mut self, name: String, value: Option<String>) -> Result<(), String> {
        let set = self.settings.set_while_tracing(&name, value.as_deref());
        set.map_err(|why| {
            let value = value.as_deref().unwrap_or("1");
            format!("couldn't set option \"{name}\" to \"{value}\": {why}")
        })?;
        self.style.quiet = self.settings.quiet;
        self.style.raw_bytes = self.settings.raw_bytes;
        self.style.stack_indent = indent(&self.settings);
        self.has_changed = true;
        Ok(())
    }
}

/// The columns before the frames of a stack.
fn indent(settings: &Settings) -> usize {
    let wanted = usize::try_from(settings.stack_indent).unwrap_or(0);
    wanted.min(1 << 16)
}

/// The fields that an action reads.
fn fields(action: &Action) -> impl Iterator<Item = &Field> {
    let single = match action {
        Action::Trace(field)
        | Action::Stack(field)
        | Action::Exit(field)
        | Action::Trunc(_, Some(field))
        | Action::Normalize(_, field) => [Some(field), None],
        Action::Tracemem(field, other) | Action::Setopt(field, other) => {
            [Some(field), other.as_ref()]
        }
        _ => [None, None],
    };
    let list = match action {
        Action::Printf(_, fields) | Action::System(_, fields) | Action::Freopen(_, fields) => {
            fields.as_slice()
        }
        _ => &[],
    };
    single.into_iter().flatten().chain(list)
}
