//! ELF files made by the host's compiler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine_objects::Functions;
use lzma_rust2::{XzOptions, XzWriter};
use tempfile::TempDir;

/// Functions of every kind.
pub const SOURCE: &str = r#"
static __attribute__((noinline)) int hidden_local(int x) { return x * 3; }
int plain(int x) { return hidden_local(x) + 1; }
extern int other_name(int) __attribute__((weak, alias("plain")));
static int fast(int x) { return x; }
static void *choose(void) { return fast; }
int chosen(int) __attribute__((ifunc("choose")));
int data_not_code = 4;
__asm__(".text\n.globl sizeless\n.type sizeless, %function\nsizeless:\n.byte 0,0,0,0,0,0,0,0\n"
        ".globl label\nlabel:\n.byte 0,0,0,0\n"
        ".globl old_way\n.type old_way, %function\nold_way:\n.byte 0,0,0,0\n.size old_way, 4\n"
        ".globl new_way\n.type new_way, %function\nnew_way:\n.byte 0,0,0,0\n.size new_way, 4\n");
"#;

/// With two versions of one name.
pub const VERSIONED: &str = r#"
int old(void) { return 1; }
int new(void) { return 2; }
__asm__(".symver old, way@V1\n.symver new, way@@V2\n");
"#;

/// Two C++ functions that differ in their parameters only.
pub const CPP: &str = r#"
namespace space {
    struct Thing { int method(int) const; int method(const char *); };
    int Thing::method(int x) const { return x; }
    int Thing::method(const char *) { return 1; }
}
"#;

/// A folder with what was built in it.
pub struct Build {
    pub folder: TempDir,
}

impl Build {
    pub fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles a source; its suffix names the language.
    pub fn compile(&self, source: (&str, &str), output: &str, flags: &[&str]) -> PathBuf {
        let (name, text) = source;
        std::fs::write(self.path(name), text).unwrap();
        self.run(
            Command::new("gcc")
                .args(["-O1", "-w", "-o", output, name])
                .args(flags),
        );
        self.path(output)
    }

    pub fn library(&self, flags: &[&str]) -> PathBuf {
        let flags = [&["-shared", "-fPIC", "-nostdlib"], flags].concat();
        self.compile(("lib.c", SOURCE), "libmade.so.1", &flags)
    }

    pub fn tool(&self, program: &str, arguments: &[&str]) {
        self.run(Command::new(program).args(arguments));
    }

    pub fn tool_output(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(Command::new(program).args(arguments));
        String::from_utf8(output).unwrap()
    }

    fn run(&self, command: &mut Command) -> Vec<u8> {
        let output = command.current_dir(self.folder.path()).output().unwrap();
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// Gives a stripped copy of a library its full symbols as MiniDebugInfo.
    pub fn with_mini(&self, library: &str, output: &str) -> PathBuf {
        self.tool("objcopy", &["--only-keep-debug", library, "mini.debug"]);
        let symbols = std::fs::read(self.path("mini.debug")).unwrap();
        std::fs::write(self.path("mini.xz"), xz(&symbols)).unwrap();
        let add = "--add-section=.gnu_debugdata=mini.xz";
        self.tool("objcopy", &["--strip-all", add, library, output]);
        self.path(output)
    }
}

/// Compresses as `xz` does, with a small dictionary.
pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// The functions in the tables of the file itself.
pub fn functions(path: &Path) -> Functions {
    Functions::of_bytes(&std::fs::read(path).unwrap())
        .unwrap()
        .1
}

/// A line for each function, without its address: `name size binding table ..`.
pub fn list(functions: &Functions) -> String {
    let mut lines: Vec<String> = functions.iter().map(|function| line(&function)).collect();
    lines.sort();
    lines.concat()
}

fn line(function: &engine_objects::Function<'_>) -> String {
    let mut words = vec![
        function.name().into_owned(),
        format!("{:?}", function.binding),
        format!("{:?}", function.extent),
        format!("{:?}", function.table),
    ];
    if function.is_ifunc {
        words.push("ifunc".to_owned());
    }
    words.extend(function.version().map(|version| format!("@{version}")));
    words.join(" ") + "\n"
}
