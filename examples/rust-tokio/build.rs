//! Compiles the stack `reliable` into this program.

fn main() {
    nacre_build::stack("../reliable.nacre", "reliable");
}
