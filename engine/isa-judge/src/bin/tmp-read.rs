//! Throwaway.
use engine_isa_judge::{arm64, spelling, x86};
fn main() {
    let which = std::env::args().nth(1).unwrap();
    let n: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let t = if which == "x86" {
        let t = spelling::run(&x86::spelling::SET, 3, n, None);
        (t.words, t.same, t.refused, t.explained, t.unexplained)
    } else {
        let t = spelling::run(&arm64::spelling::SET, 3, n, None);
        (t.words, t.same, t.refused, t.explained, t.unexplained)
    };
    println!("{} {} {} {:?}", t.0, t.1, t.2, t.3);
    for l in t.4 {
        println!("{l}");
    }
}
