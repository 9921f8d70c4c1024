//! Consumers that come, enable, go, stop and die in any order: text and records stay what the
//! active enablings make them.

mod fake;

use engine_isa::arm::TRAP;
use engine_tracer::ConsumerId;
use fake::*;
use proptest::collection::vec;
use proptest::prelude::*;

const FUNCTIONS: [(&str, usize); 3] = [("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA)];

#[derive(Debug, Clone)]
enum Step {
    Open,
    Enable(usize, usize),
    Go(usize),
    Stop(usize),
    Close(usize),
    Execute(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let function = 0..FUNCTIONS.len();
    prop_oneof![
        Just(Step::Open),
        (0..4usize, function.clone()).prop_map(|(who, what)| Step::Enable(who, what)),
        (0..4usize).prop_map(Step::Go),
        (0..4usize).prop_map(Step::Stop),
        (0..4usize).prop_map(Step::Close),
        function.prop_map(Step::Execute),
    ]
}

/// What a consumer should be doing.
struct Model {
    id: ConsumerId,
    enabled: Vec<usize>,
    began: bool,
    active: bool,
    recorded: usize,
}

fn active_ecbs(models: &[Model], function: usize) -> usize {
    let active = models.iter().filter(|model| model.active);
    active
        .flat_map(|model| &model.enabled)
        .filter(|&&enabled| enabled == function)
        .count()
}

fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (fake, engine) = engine();
    let mut models: Vec<Model> = Vec::new();
    for step in steps {
        match step {
            Step::Open if models.len() < 4 => models.push(Model {
                id: open(&engine),
                enabled: Vec::new(),
                began: false,
                active: false,
                recorded: 0,
            }),
            Step::Open => {}
            Step::Enable(who, what) => {
                let Some(model) = models.get_mut(who) else {
                    continue;
                };
                let enabled = enable(&engine, model.id, FUNCTIONS[what].0);
                prop_assert_eq!(enabled.is_ok(), !model.began);
                if enabled.is_ok() {
                    model.enabled.push(what);
                }
            }
            Step::Go(who) => {
                let Some(model) = models.get_mut(who) else {
                    continue;
                };
                prop_assert_eq!(go(&engine, model.id, 1 << 16).is_ok(), !model.began);
                model.active |= !model.began;
                model.began = true;
            }
            Step::Stop(who) => {
                let Some(model) = models.get_mut(who) else {
                    continue;
                };
                engine.stop(model.id).unwrap();
                model.active = false;
            }
            Step::Close(who) if who < models.len() => engine.close(models.remove(who).id),
            Step::Close(_) => {}
            Step::Execute(what) => {
                execute(fake, &engine, FUNCTIONS[what].1);
                for model in models.iter_mut().filter(|model| model.active) {
                    model.recorded += model.enabled.iter().filter(|&&it| it == what).count();
                }
            }
        }
        for (function, (_, address)) in FUNCTIONS.iter().enumerate() {
            let armed = fake.read(*address) == TRAP;
            prop_assert_eq!(armed, active_ecbs(&models, function) > 0);
        }
    }
    for model in &models {
        if model.began {
            prop_assert_eq!(drain(&engine, model.id, 0).len(), model.recorded);
        }
        engine.close(model.id);
    }
    prop_assert_eq!(fake.image(), Fake::new().image());
    Ok(())
}

proptest! {
    #[test]
    fn text_and_records_are_what_the_active_enablings_make_them(steps in vec(step(), 0..60)) {
        run(steps)?;
    }
}
