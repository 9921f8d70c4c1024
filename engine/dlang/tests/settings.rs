//! Invalid settings.

use engine_dlang::{Kind, Settings, Text, compile};

#[test]
fn frames_that_no_record_has_room_for_are_the_options() {
    for (frames, fits) in [(0, false), (1, true), (8192, true), (8193, false)] {
        let text = Text {
            source: "BEGIN { stack(); }".into(),
            kind: Kind::Specifier,
            arguments: Vec::new(),
        };
        let settings = Settings {
            stack_frames: frames,
            ..Settings::default()
        };
        let compiled = compile(&[text], &settings).map(|_| ());
        let expected = format!(
            "invalid probe specifier BEGIN {{ stack(); }}: stack( ) size {frames} \
             (option stackframes) is out of range: a record holds 1 to 8192 frames"
        );
        let expected = if fits { Ok(()) } else { Err(expected) };
        assert_eq!(compiled.map_err(|error| error.to_string()), expected);
    }
}
