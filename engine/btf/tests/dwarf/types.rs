//! Every kind of type, in every version of DWARF.

use engine_btf::{Class, Kind};

use super::build::{built, object};
use super::show::{converted, functions, members, show};

const SOURCE: &str = r#"
typedef unsigned char u8;
struct list { struct list *next, *prev; };
enum colour { RED = -1, GREEN, BLUE = 5 };
enum flag { LOW = 1, HIGH = 0x80000000 };
enum wide { TOP = 0xffffffff00000000ull, BOTTOM = 1 };
union word { int i; float f; double d; };
struct opaque;
struct all {
    struct list list;
    const char *name;
    volatile int counter;
    int matrix[2][3];
    unsigned low : 3;
    int high : 7;
    u8 byte;
    unsigned long long far : 40;
    struct { int inner; union { short s; char c; }; };
    enum colour colour;
    int (*call)(struct all *, const char *, ...);
    struct opaque *opaque;
    _Bool flag;
    int tail[];
};
enum { FIRST, SECOND = 2 } anonymous;
struct all all;
enum flag flag;
enum wide wide;
union word word;
u8 *function(struct all *first, int second, ...) { return &all.byte; }
void nothing(void) {}
"#;

const ALL: &str = "\
0 struct list list
16 char const * name
24 int volatile counter
28 [2][3]int matrix
52 unsigned int low :3
52.3 int high :7
54 u8 byte
56 long long unsigned int far :40
64 struct 8 { 0 int inner; 4 union 2 { 0 short int s; 0 char c; } ; } 
72 enum colour colour
80 (struct all *, char const *, ...) int * call
88 struct opaque; * opaque
96 _Bool flag
100 [0]int tail
";

#[test]
fn each_version() {
    for version in ["2", "3", "4", "5"] {
        let flag = format!("-gdwarf-{version}");
        for strict in ["-gno-strict-dwarf", "-gstrict-dwarf"] {
            let btf = converted(&built(&[SOURCE], &[&flag, strict], None));
            let found = members(&btf, Class::Struct, "all");
            assert_eq!(found, ALL, "version {version} {strict}");
            let all = btf.named(Class::Struct, "all").unwrap();
            assert_eq!(btf.size_of(all, 8), Ok(104));
            let found = btf.member(all, "c").unwrap().unwrap();
            assert_eq!((found.bit_offset, found.bit_size), (68 * 8, 0));
            let word = members(&btf, Class::Union, "word");
            assert_eq!(word, "0 int i\n0 float f\n0 double d\n");
            let function = functions(&btf, "function");
            assert_eq!(
                function,
                ["function(struct all * first, int second, ...) u8 *"]
            );
            assert_eq!(functions(&btf, "nothing"), ["nothing() void"]);
            assert_eq!(btf.pointer_size(), Some(8));
        }
    }
}

#[test]
fn enumerations() {
    let btf = converted(&object(SOURCE));
    let values = |name| {
        let id = btf.named(Class::Enum, name).unwrap();
        match btf.get(id).unwrap().kind {
            Kind::Enum {
                size,
                is_signed,
                values,
            }
            | Kind::Enum64 {
                size,
                is_signed,
                values,
            } => {
                let values: Vec<_> = values.map(|value| value.value).collect();
                (size, is_signed, values)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(values("colour"), (4, true, vec![-1, 0, 5]));
    assert_eq!(values("flag"), (4, false, vec![1, 0x8000_0000]));
    assert_eq!(values("wide"), (8, false, vec![-0x1_0000_0000, 1]));
    assert_eq!(btf.enumerator("SECOND").unwrap().1.value, 2);
}

#[test]
fn qualifiers_and_floats() {
    let source = "
        typedef long double ld; ld number; _Atomic int shared;
        void copy(char *restrict to, const volatile char *from) {}
        struct { int x; } *nameless; void (**table[3])(int);";
    let btf = converted(&object(source));
    let of = |name| show(&btf, btf.variable(name).unwrap().target);
    assert_eq!(of("shared"), "int");
    assert_eq!(of("nameless"), "struct 4 { 0 int x; } *");
    assert_eq!(of("table"), "[3](int) void * *");
    let copy = functions(&btf, "copy");
    assert_eq!(
        copy,
        ["copy(char * restrict to, char const volatile * from) void"]
    );
    let typedef = btf
        .resolve(btf.named(Class::Typedef, "ld").unwrap())
        .unwrap();
    assert!(matches!(typedef.kind, Kind::Float { size: 16 }));
}
