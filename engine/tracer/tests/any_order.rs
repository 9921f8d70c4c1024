//! Model-based test of consumers that open, enable, go, stop and close in any order: text, timers
//! and records always match the active enablings.

use crate::fake;

use engine_abi::Description;
use engine_isa::arm::TRAP;
use engine_tracer::ConsumerId;
use fake::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const FUNCTIONS: [(&str, usize); 3] = [("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA)];

/// What can be enabled besides the functions; indices continue theirs.
const NAMED: [&str; 3] = ["tick-1s", "BEGIN", "END"];
const TICK: usize = 3;
const BEGIN: usize = 4;
const END: usize = 5;
/// The number of `tick-1s`, the first after the predefined timers.
const TIMER: u32 = 13;

#[derive(Debug, Clone)]
enum Step {
    Open,
    Enable(usize, usize),
    Go(usize),
    Stop(usize),
    Close(usize),
    Happen(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Open),
        (0..4usize, 0..=END).prop_map(|(consumer, what)| Step::Enable(consumer, what)),
        (0..4usize).prop_map(Step::Go),
        (0..4usize).prop_map(Step::Stop),
        (0..4usize).prop_map(Step::Close),
        (0..=TICK).prop_map(Step::Happen),
    ]
}

fn description(what: usize) -> Description {
    match FUNCTIONS.get(what) {
        Some((function, _)) => describe(function),
        None => Description::new(b"", b"", b"", NAMED[what - TICK].as_bytes()).unwrap(),
    }
}

/// The expected state of a consumer.
struct Model {
    id: ConsumerId,
    enabled: Vec<usize>,
    began: bool,
    active: bool,
    recorded: usize,
}

impl Model {
    fn ecbs(&self, what: usize) -> usize {
        self.enabled
            .iter()
            .filter(|enabled| **enabled == what)
            .count()
    }
}

fn active_ecbs(models: &[Model], what: usize) -> usize {
    let active = models.iter().filter(|model| model.active);
    active.map(|model| model.ecbs(what)).sum()
}

fn take(fake: &Fake, engine: &Engine, models: &mut Vec<Model>, step: &Step) -> TestCaseResult {
    match *step {
        Step::Open if models.len() < 4 => models.push(Model {
            id: open(engine),
            enabled: Vec::new(),
            began: false,
            active: false,
            recorded: 0,
        }),
        Step::Open => {}
        Step::Happen(what) => {
            match FUNCTIONS.get(what) {
                Some((_, address)) => _ = execute(fake, engine, *address),
                None => tick(fake, engine, TIMER),
            }
            for model in models.iter_mut().filter(|model| model.active) {
                model.recorded += model.ecbs(what);
            }
        }
        Step::Close(consumer) if consumer < models.len() => {
            engine.close(models.remove(consumer).id)
        }
        Step::Close(_) => {}
        Step::Enable(consumer, _) | Step::Go(consumer) | Step::Stop(consumer) => {
            if let Some(model) = models.get_mut(consumer) {
                request(engine, model, step)?;
            }
        }
    }
    Ok(())
}

fn request(engine: &Engine, model: &mut Model, step: &Step) -> TestCaseResult {
    match *step {
        Step::Enable(_, what) => {
            let enabled = engine.enable(model.id, &description(what), 0);
            prop_assert_eq!(enabled.is_ok(), !model.began);
            if enabled.is_ok() {
                model.enabled.push(what);
            }
        }
        Step::Go(_) => {
            prop_assert_eq!(go(engine, model.id, 1 << 16).is_ok(), !model.began);
            if !model.began {
                model.recorded += model.ecbs(BEGIN);
                (model.began, model.active) = (true, true);
            }
        }
        _ => {
            engine.stop(model.id).unwrap();
            if model.active {
                model.recorded += model.ecbs(END);
                model.active = false;
            }
        }
    }
    Ok(())
}

fn run(steps: Vec<Step>) -> TestCaseResult {
    let (fake, engine) = engine();
    let mut models: Vec<Model> = Vec::new();
    for step in steps {
        take(fake, &engine, &mut models, &step)?;
        for (what, (_, address)) in FUNCTIONS.iter().enumerate() {
            let armed = fake.read(*address) == TRAP;
            prop_assert_eq!(armed, active_ecbs(&models, what) > 0);
        }
        let runs = fake.timers.lock().unwrap().contains_key(&TIMER);
        prop_assert_eq!(runs, active_ecbs(&models, TICK) > 0);
    }
    for model in &models {
        if model.began {
            prop_assert_eq!(drain(&engine, model.id, 0).len(), model.recorded);
        }
        engine.close(model.id);
    }
    prop_assert_eq!(fake.image(), Fake::new().image());
    prop_assert!(fake.timers.lock().unwrap().is_empty());
    Ok(())
}

proptest! {
    #[test]
    fn text_timers_and_records_are_what_the_active_enablings_make_them(
        steps in vec(step(), 0..60),
    ) {
        run(steps)?;
    }
}
