//! Scripts that complete the command's words in bash, zsh and fish.
//!
//! What a system has, the probes, the command itself tells (`--complete`).

use std::fmt::Write;

use crate::options::{Takes, flags};
use crate::setting;

/// Options that have a value to complete, with the names of those alike.
fn alike(is_one: fn(Takes) -> bool) -> Vec<&'static str> {
    let of_kind = flags().filter(|flag| is_one(flag.takes));
    of_kind.map(|flag| flag.name).collect()
}

/// For bash. Where a colon separates words there, as it does unless the word is quoted, what is before
/// a word's last one is cut off the candidates.
pub fn bash() -> String {
    let names: Vec<_> = flags().map(|flag| flag.name).collect();
    let settings: Vec<_> = setting::names().collect();
    let mut cases = String::new();
    let mut case = |names: Vec<&str>, answer: &str| {
        let _ = writeln!(
            cases,
            "    {})\n        {answer}\n        return ;;",
            names.join("|")
        );
    };
    case(
        alike(|it| matches!(it, Takes::File(_))),
        "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
    );
    case(
        alike(|it| matches!(it, Takes::Folder(_))),
        "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")",
    );
    for flag in flags() {
        if let Takes::OneOf(_, words) = flag.takes {
            let words = words.join(" ");
            case(
                vec![flag.name],
                &format!("mapfile -t COMPREPLY < <(compgen -W '{words}' -- \"$cur\")"),
            );
        }
    }
    case(
        alike(|it| matches!(it, Takes::Probe(_))),
        "mapfile -t COMPREPLY < <(\"$1\" --complete \"${prev#-}\" \"$cur\" 2>/dev/null)\n        \
         compopt -o nospace\n        \
         COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")",
    );
    case(
        alike(|it| matches!(it, Takes::Process)),
        "mapfile -t COMPREPLY < <(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\")",
    );
    case(
        alike(|it| matches!(it, Takes::Setting)),
        &format!(
            "compopt -o nospace; mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")",
            settings.join(" ")
        ),
    );
    case(
        alike(|it| matches!(it, Takes::Command)),
        "mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")",
    );
    case(alike(|it| matches!(it, Takes::Value(_))), ":");
    format!(
        "# bash completion for dtrace(8)\n\
         _dtrace() {{\n    \
         local line=${{COMP_LINE:0:COMP_POINT}} cur prev before=\n    \
         cur=${{line##*[[:space:]]}}\n    \
         line=${{line%\"${{line##*[[:space:]]}}\"}}; prev=${{line%\"${{line##*[![:space:]]}}\"}}; \
         prev=${{prev##*[[:space:]]}}\n    \
         case $cur in\n    \
         [\\'\\\"]*) cur=${{cur:1}} ;;\n    \
         *) [[ $COMP_WORDBREAKS == *:* ]] && before=${{cur%\"${{cur##*:}}\"}} ;;\n    \
         esac\n    \
         case $prev in\n{cases}    esac\n    \
         [[ $cur == -* ]] && mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")\n\
         }}\n\
         complete -o bashdefault -o default -F _dtrace dtrace\n",
        names.join(" ")
    )
}

/// For zsh.
pub fn zsh() -> String {
    let mut specifications = String::new();
    for flag in flags() {
        let does = flag.does.replace('\'', "'\\''");
        let does: String = does.chars().filter(|it| !"[]".contains(*it)).collect();
        let action = match flag.takes {
            Takes::Nothing => String::new(),
            Takes::Value(name) => format!(":{}: ", plain(name)),
            Takes::File(name) => format!(":{name}:_files"),
            Takes::Folder(name) => format!(":{name}:_files -/"),
            Takes::OneOf(name, words) => format!(":{name}:({})", words.join(" ")),
            Takes::Probe(name) => format!(":{name}:_dtrace_probes {}", &flag.name[1..]),
            Takes::Process => ":pid:_pids".into(),
            Takes::Setting => {
                let names: Vec<_> = setting::names().collect();
                format!(":option:compadd -S \"\" {}", names.join(" "))
            }
            Takes::Command => ":command:_cmdstring".into(),
        };
        let _ = writeln!(specifications, "    '*{}[{does}]{action}' \\", flag.name);
    }
    format!(
        "#compdef dtrace\n\
         _dtrace_probes() {{\n    \
         local -a found\n    \
         found=(${{(f)\"$($words[1] --complete $argv[-1] \"$PREFIX\" 2>/dev/null)\"}})\n    \
         compadd \"${{(@)argv[1,-2]}}\" -Q -S '' -a found\n}}\n\
         _arguments \\\n{specifications}    '*:argument:_default'\n"
    )
}

/// What the script for fish begins with.
const FISH: &str = "\
# fish completion for dtrace(8)
function __dtrace_probes
    set -l words (commandline -opc)
    set -l word (commandline -ct | string trim -l -c '\\'\"')
    $words[1] --complete $argv[1] \"$word\" 2>/dev/null
end
";

/// For fish.
pub fn fish() -> String {
    let mut script = String::from(FISH);
    for flag in flags() {
        let name = match flag.name.strip_prefix("--") {
            Some(name) => format!("-l {name}"),
            None if flag.name.len() == 2 => format!("-s {}", &flag.name[1..]),
            None => format!("-o {}", &flag.name[1..]),
        };
        let action = match flag.takes {
            Takes::Nothing => String::new(),
            Takes::File(_) => " -r -F".into(),
            Takes::Folder(_) => " -x -a '(__fish_complete_directories)'".into(),
            Takes::OneOf(_, words) => format!(" -x -a '{}'", words.join(" ")),
            Takes::Probe(_) => format!(" -x -a '(__dtrace_probes {})'", &flag.name[1..]),
            Takes::Process => " -x -a '(__fish_complete_pids)'".into(),
            Takes::Setting => {
                let names: Vec<_> = setting::names().collect();
                format!(" -x -a '{}'", names.join(" "))
            }
            Takes::Command => " -x -a '(__fish_complete_command)'".into(),
            Takes::Value(_) => " -x".into(),
        };
        let does = flag.does.replace('\\', "\\\\").replace('\'', "\\'");
        let _ = writeln!(script, "complete -c dtrace {name}{action} -d '{does}'");
    }
    script
}

/// A name without what has a meaning in a specification.
fn plain(name: &str) -> String {
    name.chars().filter(|it| !"[]".contains(*it)).collect()
}
