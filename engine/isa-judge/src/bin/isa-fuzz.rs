//! Throws cases by chance at an instruction set's plans until a limit: `isa-fuzz [--minutes N]
//! [--cases N] [--seed S] [--threads N]`. Ends with 1 if there is a disagreement.

fn main() {
    let seed = 1;
    let tally = engine_isa_judge::arm::execution::run(seed, engine_isa_judge::arm::execution::Limit { until: None, cases: 100_000 });
    println!("{:#?} {} {:?}", tally.skipped, tally.compared(), tally.unconfirmed);
    for (c, w) in &tally.disagreements { println!("{c}\n   {w}"); }
    for (r, c) in engine_isa::arm::ROWS.iter().zip(&tally.rows) { println!("{:30} {:?}", r.name, c); }
}
