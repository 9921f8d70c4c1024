//! How the tracer's module gets into a guest.

use crate::guest::quote;
use crate::image::Image;
use crate::plan::Mutant;

/// The command that loads it, with the defect that is to be seeded.
pub fn load(image: &Image, mutant: Option<&Mutant>) -> String {
    let mutants_module = quote(&image.mutants_module);
    match mutant {
        None => format!("insmod {}", quote(&image.module)),
        Some(mutant) if mutant.expected.is_some() => {
            format!("insmod {mutants_module} mutant={}", quote(&mutant.name))
        }
        Some(_) => format!("insmod {mutants_module}"),
    }
}
