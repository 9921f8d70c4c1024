//! Programs of random functions, which know how often each of them is called.

use std::fmt::Write;

use proptest::prelude::*;

/// A function: its shape, two constants, and how far behind it the one is that it calls.
pub type Function = (usize, u8, u8, u8);

/// A program of such functions, in order. None calls one before it, except itself.
pub fn functions() -> impl Strategy<Value = Vec<Function>> {
    let shape = 0..SHAPES.len() + ASSEMBLY.len();
    prop::collection::vec((shape, 1..120u8, 0..120u8, 1..6u8), 2..40)
}

/// Bodies in C: `x` is the argument, `A` and `B` are constants, `CALL` calls another function and `SELF` this one,
/// in a way that no compiler turns into a loop.
const SHAPES: &[&str] = &[
    "return x * A + B;",
    "return CALL(x + A) ^ B;",
    "return CALL(x * A);",
    "for (int i = x & 7; i; i--) x += CALL(x ^ i); return x;",
    "for (const char *end = words[x & 3]; *end; end++) x = x * A + *end; return x;",
    "if (x & 7) return SELF(x - 1) + A; return B;",
    "switch (x & 15) { case 0: x += A; break; case 1: return CALL(A); case 2: x *= B; case 3: x ^= A; break;
     case 4: return B; case 5: x -= A; case 6: x = CALL(x); break; case 7: x <<= 2; break; case 9: return x / A;
     case 11: x |= B; break; case 12: return CALL(x) + 1; case 14: x = -x; break; default: x++; } return x;",
    "static const void *const labels[] = {&&one, &&two, &&three, &&four}; unsigned left = x;
     again: goto *labels[left & 3]; one: x += A; left >>= 2; if (left) goto again; return x;
     two: x *= 3; left >>= 3; goto again; three: x ^= B; left >>= 4; goto again; four: return CALL(x);",
    "double y = x % 1000; y = y * 1.5 + A; float z = y / 7; return (int)(y - z) + B;",
    "double y = x % 97, z = A; y += CALL(x); return (int)(y * z) % 4096;",
    "typedef int four __attribute__((vector_size(16))); four v = {x, A, B, 1}; v = v * v + x; return v[x & 3] ^ CALL(v[1]);",
    "char text[40]; int length = snprintf(text, sizeof text, \"%d %d %s\", x, A, words[x & 3]); return text[x % length & 7] + CALL(length);",
    "jmp_buf here, *const before = back; volatile int kept = x; if (!setjmp(here)) { back = &here; kept += CALL(x); }
     back = before; return kept + B;",
    "if (back && (x & 3) == 1) longjmp(*back, 1); return x + A;",
    "int many[64]; for (int i = 0; i < 64; i++) many[i] = x + i * A; return many[x & 63] + CALL(B);",
    "return x > A ? CALL(x / 2) : x < -B ? -x : A;",
    "unsigned long long wide = (unsigned)x; wide = wide * wide / A; return (int)(wide % 65537) + CALL(B);",
];

/// Bodies in assembly: the argument is in EDI, the result in EAX. `TAIL` is in the middle of the next function in
/// assembly, which takes its argument in EAX.
const ASSEMBLY: &[&str] = &[
    // A loop to the second instruction.
    "xorl %eax, %eax; 1: addl %edi, %eax; decl %edi; testb $7, %dil; jne 1b; ret",
    // And to the third.
    "pushq %rbx; movl %edi, %ebx; 1: leal B(%rbx,%rbx), %eax; decl %ebx; testb $3, %bl; jne 1b; popq %rbx; ret",
    // Too short for a jump.
    "leal A(%rdi), %eax; ret",
    "movl %edi, %eax; ret",
    "xchgl %edi, %eax; ret",
    // Instructions that overlap.
    "movl %edi, %eax; jmp 1f + 1; 1: .byte 0xb9, 0x83, 0xc0, A, 0x90; ret",
    "testl %edi, %edi; js 1f + 1; 1: .byte 0xb8, 0xb8, A, B, 0x90, 0x90; ret",
    // Calls and accesses relative to the program counter.
    "call 9f; addl $A, %eax; ret; 9: movl %edi, %eax; ret",
    "movl fuel(%rip), %eax; andl $A, %eax; addl %edi, %eax; ret",
    "cmpl $B, word(%rip); movl $A, %eax; cmovgl %edi, %eax; ret",
    "addl $A, word(%rip); movl word(%rip), %eax; ret",
    "movss real(%rip), %xmm1; cvtsi2ssl %edi, %xmm0; mulss %xmm1, %xmm0; cvttss2sil %xmm0, %eax; ret",
    // Branches that have a short form only.
    "movl %edi, %ecx; andl $7, %ecx; 1: jrcxz 2f; decl %ecx; addl $A, %edi; jmp 1b; 2: movl %edi, %eax; ret",
    "movl $3, %ecx; 1: addl %edi, %edi; loop 1b; leal B(%rdi), %eax; ret",
    // A table of branches into steps that run into one another.
    "leaq 9f(%rip), %rdx; andl $3, %edi; movslq (%rdx,%rdi,4), %rax; addq %rdx, %rax; jmp *%rax;
     1: incl %edi; 2: incl %edi; 3: incl %edi; 4: movl %edi, %eax; ret;
     .pushsection .rodata; .p2align 2; 9: .long 1b - 9b, 2b - 9b, 3b - 9b, 4b - 9b; .popsection",
    // The flags of one instruction are used by a later one, and the red zone is.
    "cmpl $A, %edi; movl %edi, -8(%rsp); setg %al; movzbl %al, %eax; adcl -8(%rsp), %eax; ret",
    // Control comes from another function.
    "movl %edi, %eax; TAIL: addl $B, %eax; ret",
    "leal A(%rdi), %eax; jmp TAIL",
];

/// The text of a program. It prints its result, what it has left to do, and how often each function was called.
pub fn program(functions: &[Function]) -> String {
    let count = functions.len();
    let mut text = format!(
        "#include <setjmp.h>\n#include <stdio.h>\n\
        #define APART __attribute__((noipa))\n\
        int fuel = 5000, word = 77, hits[{count}]; float real = 2.5f;\n\
        const char *const words[] = {{\"\", \"one\", \"seventeen\", \"x\"}};\n\
        jmp_buf *back;\n\
        #define GO(number, x) (fuel > 0 ? fuel--, hits[number]++, f##number(x) : (int)(x))\n\
        #define GO_BY(number, x) (fuel > 0 ? fuel--, hits[number]++, by##number(x) : (int)(x))\n"
    );
    for number in 0..count {
        let _ = writeln!(
            text,
            "int f{number}(int x), (*volatile by{number})(int x) = f{number};"
        );
    }
    for (number, function) in functions.iter().enumerate() {
        put(&mut text, functions, number, *function);
    }
    // There may be no function with it that leads there.
    text += "__asm__(\".text\\n.weak tail\\ntail: addl $3, %eax\\nret\\n\");\n";
    text +=
        "int main(void)\n{\n\tint x = 1;\n\tfor (int i = 0; i < 40; i++)\n\t\tx += GO(0, x + i);\n";
    text += "\tprintf(\"result %d\\nfuel %d\\nword %d\\n\", x, fuel, word);\n";
    for number in 0..count {
        let _ = writeln!(text, "\tprintf(\"f{number} %d\\n\", hits[{number}]);");
    }
    text + "\treturn x & 63;\n}\n"
}

/// Appends a function.
fn put(text: &mut String, functions: &[Function], number: usize, function: Function) {
    let (shape, a, b, further) = function;
    let constants = |body: &str| {
        let words = body.split_inclusive(|it: char| !it.is_ascii_alphanumeric());
        let replaced = words.map(|word| {
            let end = word
                .trim_end_matches(|it: char| !it.is_ascii_alphanumeric())
                .len();
            let (name, rest) = word.split_at(end);
            match name {
                "A" => format!("{a}{rest}"),
                "B" => format!("{b}{rest}"),
                _ => word.to_owned(),
            }
        });
        replaced.collect::<String>()
    };
    if let Some(body) = SHAPES.get(shape) {
        let other = number + usize::from(further);
        let call = match other < functions.len() {
            true => format!("GO({other}, "),
            false => "(".to_owned(),
        };
        let body = constants(body).replace("CALL(", &call);
        let body = body.replace("SELF(", &format!("GO_BY({number}, "));
        let _ = writeln!(text, "APART int f{number}(int x)\n{{\n\t{body}\n}}");
        return;
    }
    let body = constants(ASSEMBLY[shape - SHAPES.len()]);
    let is_tail = |(shape, ..): &Function| {
        let body = shape.checked_sub(SHAPES.len()).map(|at| ASSEMBLY[at]);
        body.is_some_and(|body| body.contains("TAIL:"))
    };
    let tail = (number..functions.len()).find(|at| is_tail(&functions[*at]));
    let tail = tail.map_or("tail".to_owned(), |at| format!("tail{at}"));
    let body = body.replace("TAIL", &tail);
    let _ = writeln!(
        text,
        "__asm__(\".text\\n.globl f{number}\\n.type f{number}, @function\\nf{number}:\\n\""
    );
    for line in body.split(';').map(str::trim) {
        let _ = writeln!(text, "\t\"{line}\\n\"");
    }
    let _ = writeln!(text, "\t\".size f{number}, . - f{number}\\n\");");
}
