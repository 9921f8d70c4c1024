//! The parameters of `lquantize` and `llquantize`: constants, and the same in every use.

use engine_abi::AggregateFunction;
use engine_dvm::aggregate::Aggregate;
use engine_dvm::{limits, mutant};

use super::Emitter;
use crate::error::Mistake;
use crate::tag::Tag;
use crate::tree::Expression;

/// A parameter of `llquantize`: its name, its bounds, and the tags of its errors.
struct Parameter {
    name: &'static str,
    least: u16,
    kind: Tag,
    value: Tag,
    differs: Tag,
}

const FACTOR: Parameter = Parameter {
    name: "factor",
    least: 2,
    kind: Tag::LlquantFactortype,
    value: Tag::LlquantFactorval,
    differs: Tag::LlquantMatchfactor,
};

const LOW: Parameter = Parameter {
    name: "lmag",
    least: 0,
    kind: Tag::LlquantLmagtype,
    value: Tag::LlquantLmagval,
    differs: Tag::LlquantMatchlmag,
};

const HIGH: Parameter = Parameter {
    name: "hmag",
    least: 0,
    kind: Tag::LlquantHmagtype,
    value: Tag::LlquantHmagval,
    differs: Tag::LlquantMatchhmag,
};

const STEPS: Parameter = Parameter {
    name: "steps",
    least: 1,
    kind: Tag::LlquantSteptype,
    value: Tag::LlquantStepval,
    differs: Tag::LlquantMatchsteps,
};

const LLQUANTIZE: [Parameter; 4] = [FACTOR, LOW, HIGH, STEPS];

/// The position of the increment among the arguments.
pub(super) fn increment(function: AggregateFunction) -> Option<usize> {
    match function {
        AggregateFunction::Quantize => Some(1),
        AggregateFunction::Lquantize => Some(4),
        AggregateFunction::Llquantize => Some(5),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Checks the parameters and stores them. Returns the increment, if one is given.
    pub(super) fn quantities<'a>(
        &mut self,
        aggregation: usize,
        function: AggregateFunction,
        arguments: &'a [Expression],
        line: u32,
    ) -> Result<Option<&'a Expression>, Mistake> {
        let parameters = match function {
            AggregateFunction::Lquantize => self.lquantize(arguments, line)?,
            AggregateFunction::Llquantize => self.llquantize(arguments, line)?,
            _ => [0; 4],
        };
        self.same_as_before(aggregation, function, parameters, line)?;
        let Some(position) = increment(function) else {
            return Ok(None);
        };
        let given = arguments.get(position);
        if let Some(given) = given {
            self.check_increment(function, position + 1, given, arguments.len())?;
        }
        Ok(given)
    }

    fn check_increment(
        &self,
        function: AggregateFunction,
        most: usize,
        increment: &Expression,
        passed: usize,
    ) -> Result<(), Mistake> {
        let word = function.word();
        if !self.types.is_scalar(increment.type_) {
            let message =
                format!("{word}( ) increment value (argument #{most}) must be of scalar type");
            return Err(Mistake::new(Tag::ProtoArg, increment.line, message));
        }
        if passed > most {
            let message = format!(
                "{word}( ) prototype mismatch: {passed} args passed, at most {most} expected"
            );
            return Err(Mistake::new(Tag::ProtoLen, increment.line, message));
        }
        Ok(())
    }

    /// Base, limit and step. The limit is rounded to the end of the last step, so that equal
    /// buckets have equal parameters.
    fn lquantize(&self, arguments: &[Expression], line: u32) -> Result<[i32; 4], Mistake> {
        let base = bound(
            arguments.get(1),
            1,
            Tag::LquantBasetype,
            Tag::LquantBaseval,
            line,
        )?;
        let limit = bound(
            arguments.get(2),
            2,
            Tag::LquantLimtype,
            Tag::LquantLimval,
            line,
        )?;
        if limit < base && !mutant::is_active("limit-below-base") {
            let message = "lquantize( ) base (argument #1) must be less than limit (argument #2)";
            return Err(Mistake::new(Tag::LquantMismatch, line, message));
        }
        let step = self.step(arguments.get(3))?;
        let span = i64::from(limit) - i64::from(base);
        let (tag, why) = match span / i64::from(step) {
            0 => {
                let why = "too large: must have at least one quantization level";
                (Tag::LquantSteplarge, why)
            }
            1..=0xffff => {
                let end = i64::from(limit) - span % i64::from(step);
                return Ok([base, end as i32, step, 0]);
            }
            _ => {
                let why = "too small: number of quantization levels must be a 16-bit quantity";
                (Tag::LquantStepsmall, why)
            }
        };
        let message = format!("lquantize( ) step (argument #3) {why}");
        Err(Mistake::new(tag, line, message))
    }

    fn step(&self, step: Option<&Expression>) -> Result<i32, Mistake> {
        let Some(step) = step else {
            return Ok(1);
        };
        let Some(constant) = step.constant().filter(|it| it.is_positive(self.types)) else {
            let message = "lquantize( ) argument #3 must be a non-zero positive integer constant";
            return Err(Mistake::new(Tag::LquantSteptype, step.line, message));
        };
        u16::try_from(constant.value).map(i32::from).map_err(|_| {
            let message = "lquantize( ) argument #3 must be a 16-bit quantity";
            Mistake::new(Tag::LquantStepval, step.line, message)
        })
    }

    /// Factor, low and high magnitude, and steps.
    fn llquantize(&self, arguments: &[Expression], line: u32) -> Result<[i32; 4], Mistake> {
        let given = |position| (arguments.get(position), position, line);
        let factor = FACTOR.value(given(1))?;
        let low = LOW.value(given(2))?;
        let high = HIGH.value(given(3))?;
        let refused = |(tag, message)| Mistake::new(tag, line, message);
        check_magnitudes(factor, low, high).map_err(refused)?;
        let steps = STEPS.value(given(4))?;
        let parameters = [factor, low, high, steps];
        check_steps(parameters).map_err(refused)?;
        Ok(parameters)
    }

    /// All assignments to an aggregation must have the same parameters.
    fn same_as_before(
        &mut self,
        aggregation: usize,
        function: AggregateFunction,
        parameters: [i32; 4],
        line: u32,
    ) -> Result<(), Mistake> {
        let Some(known) = self.names.aggregations.get_mut(aggregation) else {
            return Ok(());
        };
        let before = *known.parameters.get_or_insert(parameters);
        let mut pairs = before.into_iter().zip(parameters).enumerate();
        let Some((position, (expected, found))) = pairs.find(|(_, (one, other))| one != other)
        else {
            return Ok(());
        };
        let (tag, what) = if function == AggregateFunction::Lquantize {
            let (tag, name) = match position {
                0 => (Tag::LquantMatchbase, "base"),
                1 => (Tag::LquantMatchlim, "limit"),
                _ => (Tag::LquantMatchstep, "step"),
            };
            (
                tag,
                format!("lquantize( ) {name} (argument #{})", position + 1),
            )
        } else {
            let parameter = &LLQUANTIZE[position];
            let name = parameter.name;
            (
                parameter.differs,
                format!("llquantize() {name} (argument #{})", position + 1),
            )
        };
        let message = format!(
            "{what} doesn't match previous declaration: expected {expected}, found {found}"
        );
        Err(Mistake::new(tag, line, message))
    }
}

impl Parameter {
    fn value(
        &self,
        (argument, position, line): (Option<&Expression>, usize, u32),
    ) -> Result<i32, Mistake> {
        let what = format!("llquantize( ) argument #{position} must be an");
        let line = argument.map_or(line, |argument| argument.line);
        let Some(constant) = argument.and_then(Expression::constant) else {
            let message = format!("{what} integer constant");
            return Err(Mistake::new(self.kind, line, message));
        };
        let value = u16::try_from(constant.value).ok();
        let value = value.filter(|value| *value >= self.least);
        value.map(i32::from).ok_or_else(|| {
            let bound = match self.least {
                0 => String::new(),
                least => format!(" greater than or equal to {least}"),
            };
            let message = format!("{what} unsigned 16-bit quantity{bound}");
            Mistake::new(self.value, line, message)
        })
    }
}

/// A 32-bit constant.
fn bound(
    argument: Option<&Expression>,
    position: usize,
    kind: Tag,
    value: Tag,
    line: u32,
) -> Result<i32, Mistake> {
    let line = argument.map_or(line, |argument| argument.line);
    let Some(constant) = argument.and_then(Expression::constant) else {
        let message = format!("lquantize( ) argument #{position} must be an integer constant");
        return Err(Mistake::new(kind, line, message));
    };
    i32::try_from(constant.signed()).map_err(|_| {
        let message = format!("lquantize( ) argument #{position} must be a 32-bit quantity");
        Mistake::new(value, line, message)
    })
}

/// Checks the magnitudes of `llquantize`.
fn check_magnitudes(factor: i32, low: i32, high: i32) -> Result<(), (Tag, String)> {
    let why = if high < low {
        "must be at least argument #2 (low magnitude)"
    } else if is_beyond(factor, high) {
        "will cause overflow of 64 bits"
    } else {
        return Ok(());
    };
    let message = format!("llquantize( ) argument #3 (high magnitude) {why}");
    Err((Tag::LlquantHmagval, message))
}

/// Whether the end of the highest order of magnitude overflows.
fn is_beyond(factor: i32, high: i32) -> bool {
    let exponent = high.unsigned_abs() + 1;
    i64::from(factor).checked_pow(exponent).is_none()
}

/// Checks the steps of `llquantize`: every bucket must have a whole number of values.
fn check_steps(parameters: [i32; 4]) -> Result<(), (Tag, String)> {
    let [factor, low, _, steps] = parameters;
    let end = i64::from(factor).checked_pow(low.unsigned_abs() + 1);
    let why = if steps < factor && factor % steps != 0 {
        "must evenly divide argument #1 (factor) when steps<factor"
    } else if steps > factor && steps % factor != 0 {
        "must be a multiple of argument #1 (factor) when steps>factor"
    } else if steps > factor && low == 0 && (factor * factor) % steps != 0 {
        "must evenly divide the square of argument #1 (factor) when steps>factor and lmag==0"
    } else if steps > factor && low > 0 && end.is_none_or(|end| end % i64::from(steps) != 0) {
        "must evenly divide pow(argument #1 (factor), lmag (argument #2) + 1) when steps>factor"
    } else if Aggregate::new(AggregateFunction::Llquantize, parameters).is_none() {
        let message = format!(
            "llquantize( ) has more than {} buckets: use fewer linear steps per magnitude \
             (argument #4), or a smaller range of magnitudes",
            limits::LEVELS_MAX
        );
        return Err((Tag::Limit, message));
    } else {
        return Ok(());
    };
    let message = format!("llquantize() argument #4 (steps) {why}");
    Err((Tag::LlquantStepval, message))
}
