//! Guest trouble is classified correctly and promptly; guests are isolated; a killed harness leaves
//! nothing behind.
//!
//! These tests boot real guests and do to them what a broken engine would. Without an image, a
//! guest's tests are listed and ignored.
//!
//! What depends on a machine or its kernel is tested on each guest. What depends on the harness,
//! QEMU or the ssh server, which are the same for all, is tested on one: the first in `images/`. So
//! the set of tests and their names do not depend on which guests are built, and listing them reads
//! no built guest.

mod apart;
mod killed;
mod misbehaving;
mod restored;
mod tools;
mod trouble;

use std::process::ExitCode;

use harness::error::HostError;
use harness::guest::image::Image;
use harness::tree::Tree;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use misbehaving::Row;

type Check = Box<dyn Fn(&Tree, &Image) -> Result<(), Failed> + Send>;
type Named = (&'static str, fn(&Tree, &Image) -> Result<(), Failed>);

const ON_EACH: &[Named] = &[
    (
        "commands_are_answered_and_overruns_are_values",
        trouble::answers,
    ),
    ("a_panic_is_a_panic", trouble::panics),
    ("a_panic_before_init_is_a_boot_panic", trouble::boot_panics),
    (
        "a_change_of_text_is_seen_where_it_is",
        trouble::changes_text,
    ),
    ("hits_on_every_cpu_are_counted", trouble::counts_hits),
    ("a_restored_guest_knows_the_time", restored::clock),
    ("a_restored_guest_has_timers", restored::timers),
    (
        "restored_guests_draw_random_numbers_of_their_own",
        restored::randomness,
    ),
];

const ON_ONE: &[Named] = &[
    ("a_harness_that_is_killed_leaves_nothing", killed::check),
    ("a_warning_is_found_in_the_log", trouble::warns),
    ("a_guest_that_stops_answering_hangs", trouble::hangs),
    ("the_end_of_qemu_is_an_early_exit", trouble::qemu_dies),
    ("a_qemu_that_refuses_says_why", trouble::qemu_refuses),
    (
        "a_guest_that_never_answers_times_out",
        trouble::boot_is_slow,
    ),
    ("a_wrong_host_key_is_refused", trouble::wrong_host_key),
    ("an_ssh_server_that_dies_is_ssh_lost", trouble::ssh_dies),
    ("what_a_guest_does_to_itself_no_other_sees", apart::check),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&Tree::own(), arguments.list) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("guests: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(tree: &Tree, are_listed: bool) -> Result<Vec<Trial>, HostError> {
    let mut trials = Vec::new();
    for (row, guest) in tree.guests()?.iter().enumerate() {
        for (name, check) in checks(row == 0) {
            let name = format!("{guest}::{name}");
            trials.push(trial(tree, guest, name, check, are_listed));
        }
    }
    Ok(trials)
}

/// The tests of a guest, by name.
fn checks(is_the_one: bool) -> Vec<(String, Check)> {
    let alone: (&[Named], &[Row]) = match is_the_one {
        true => (ON_ONE, misbehaving::ON_ONE),
        false => (&[], &[]),
    };
    let named = alone.0.iter().chain(ON_EACH).copied();
    let named = named.map(|(name, check)| (name.to_owned(), Box::new(check) as Check));
    let rows = alone.1.iter().chain(misbehaving::ON_EACH).copied();
    let jobs = rows.map(|row| {
        let check = move |tree: &Tree, image: &Image| misbehaving::check(row, tree, image);
        (format!("job::{}", row.claim), Box::new(check) as Check)
    });
    named.chain(jobs).collect()
}

/// A test, ignored if there is no image; any other trouble with the image is a failure.
fn trial(tree: &Tree, guest: &str, name: String, check: Check, is_listed: bool) -> Trial {
    let (tree, guest, path) = (tree.clone(), guest.to_owned(), tree.guest_json(guest));
    if path.exists() {
        return Trial::test(name, move || check(&tree, &Image::read(&tree, &guest)?));
    }
    let why = HostError::NoImage { guest, path }.to_string();
    let trial = Trial::ignorable_test(name, move || Ok(Completion::ignored_with(why)));
    trial.with_ignored_flag(is_listed)
}
