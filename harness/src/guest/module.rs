//! Loading the tracer's module into a guest.

use crate::guest::image::Image;
use crate::guest::quote::quote;
use crate::run::plan::Mutant;
use crate::scenario::Module;

/// The `insmod` command for `module`, with the defect that `mutant` seeds, if any.
pub fn load(image: &Image, module: Module, mutant: Option<&Mutant>) -> String {
    let mutants_module = quote(&image.mutants_module);
    match mutant {
        None if module == Module::Plain => format!("insmod {}", quote(&image.module)),
        Some(mutant) if mutant.expected.is_some() => {
            format!("insmod {mutants_module} mutant={}", quote(&mutant.name))
        }
        _ => format!("insmod {mutants_module}"),
    }
}
