//! Division of products of 128 bits: with and without 128-bit numbers of the compiler, C and Rust have equal results.

mod live;

const FRAME: &str = r#"
#include <stdint.h>
#include <stdio.h>
#define p_PLAIN static inline
"#;

/// Numbers at the limits of digits and words, and random ones.
fn cases() -> Vec<[u64; 3]> {
    let edges = [0, 1, 2, 7, 0xffff_ffff, 1 << 32, (1 << 32) + 1, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX];
    let mut cases = Vec::new();
    for a in edges {
        for b in edges {
            cases.extend(edges.map(|c| [a, b, c]));
        }
    }
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 32) >> (state >> 58)
    };
    cases.extend((0..3000).map(|_| [next(), next(), next()]));
    cases
}

#[test]
fn both_division_algorithms_return_the_quotient() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = format!("{FRAME}{}", include_str!("../src/support/mul_div.c").replace("@_", "p_"));
    text.push_str("static const uint64_t cases[][4] = {\n");
    let cases = cases();
    for [a, b, c] in &cases {
        let quotient = (u128::from(*a) * u128::from(*b)).checked_div(u128::from(*c)).unwrap_or(0) as u64;
        let numbers = [*a, *b, *c, quotient].map(|n| format!("UINT64_C({n})")).join(", ");
        text.push_str(&format!("    {{{numbers}}},\n"));
    }
    text.push_str(&format!(
        r#"}};
int main(void) {{
    for (int i = 0; i < {}; i++) {{
        const uint64_t *x = cases[i];
        if (p_mul_div(x[0], x[1], x[2]) != x[3]) {{
            printf("%d\n", i);
            return 1;
        }}
    }}
    return 0;
}}
"#,
        cases.len()
    ));
    let source = folder.path().join("mul_div.c");
    std::fs::write(&source, text).expect("the source is written");
    for compiler in ["gcc", "clang"].into_iter().filter(|c| live::has(c)) {
        for flags in [&[][..], &["-U__SIZEOF_INT128__"][..]] {
            let program = folder.path().join("mul_div");
            live::compile(compiler, &source, &program, flags);
            let output = std::process::Command::new(&program).output().expect("it runs");
            let at: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or_default();
            assert!(output.status.success(), "{compiler} {flags:?}: {:?}", cases[at]);
        }
    }
}
