//! Emitted code, compiled with a host: the bytes that functions of the host are given, names that emitted code has too,
//! and given values that do not fit their types.

use std::path::Path;

use nacre_backend_c::{write, Level};
use nacre_driver::Session;

mod live;

/// `step`, `hash` and `m` are names of variables and parameters of emitted code; `send` has a local `hash`.
const SOURCE: &str = "
interface line {
    down send(m: msg)
    up deliver(m: msg)
}
extern hash(m: msg) -> u32 pure;
extern step(step: u32, m: msg) -> msg grows 4, pure;

worker w: line over line {
    state { sum: u32 }
    down send(m) {
        let hash = hash(share m);
        sum += hash;
        pass step(hash, m);
    }
}
worker last: line over line {}
stack st = w / last;
";

/// A host that sends two messages, an empty one without bytes (`data` may be NULL then), and reads all bytes of frames.
const HOST: &str = r#"
#include "st.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

uint32_t hash(const uint8_t *m, uint32_t m_len) {
    wrong |= m == NULL;
    return m_len;
}

uint32_t step(uint32_t step, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max) {
    wrong |= m == NULL || step != m_len || result_max < m_len + 4;
    memcpy(result, m, m_len);
    memset(result + m_len, 7, 4);
    return m_len + 4;
}

int main(void) {
    struct st_state *s = calloc(1, sizeof *s);
    void *pool = calloc(1, 1u << 20);
    uint64_t counters[ST_COUNTERS] = {0};
    struct nacre_output outputs[ST_OUTPUTS_MAX + 1];
    struct nacre_segment segments[ST_SEGMENTS_MAX + 1];
    uint8_t *bytes = malloc(ST_BYTES_MAX + 1);
    struct nacre_out out = {.abi = NACRE_ABI, .size = sizeof out};
    out.outputs = outputs;
    out.outputs_max = ST_OUTPUTS_MAX;
    out.segments = segments;
    out.segments_max = ST_SEGMENTS_MAX;
    out.bytes = bytes;
    out.bytes_max = ST_BYTES_MAX;
    struct st_config config;
    st_config_default(&config);
    st_pool_init(pool, ST_BLOCKS_FOR_ONE);
    if (st_open(s, pool, counters, &config, 1, 0, &out) < 0) { return 2; }
    const uint8_t full[3] = {1, 2, 3};
    const uint8_t *data[2] = {NULL, full};
    for (uint32_t i = 0; i < 2; i++) {
        if (st_above_send(s, pool, counters, 0, data[i], 3 * i, &out) < 0) { return 3; }
        printf("%u\n", (unsigned)outputs[0].len);
    }
    if (st_above_send(s, pool, counters, 0, NULL, 3, &out) != NACRE_INVALID) { return 11; }
    free(s);
    free(pool);
    free(bytes);
    return wrong;
}
"#;

/// A layer whose given values have parts.
const GIVEN: &str = "
interface line {
    down send(m: msg)
    up deliver(m: msg)
}
enum Kind { one, other }
struct Side { place: 0..10, kind: Kind, more: bits<70> }
worker w: line over line {
    given { side: Side, few: (u5, 0..4) per 0..3, maybe: Kind?, word: text<3>, places: (0..4)? per 0..3 }
    state { seen: u8 per 0..10 }
    down send(m) {
        seen[side.place] += 1;
        seen[places[1].value] += 1;
        if few[2] == (0, 0) && maybe == none && word == side_word() { count nothing; }
        pass m;
    }
    fn side_word() -> text<3> { return word; }
}
worker last: line over line {}
stack st = w / last;
";

/// A host that states each of these values, one after the other.
const STATED: &str = r#"
#include "st.h"
#include <stdlib.h>

static unsigned absent;

static int opened(const struct st_config *config) {
    static struct nacre_output outputs[ST_OUTPUTS_MAX + 1];
    static struct nacre_segment segments[ST_SEGMENTS_MAX + 1];
    static uint8_t bytes[ST_BYTES_MAX + 1];
    struct nacre_out out = {.abi = NACRE_ABI, .size = sizeof out};
    out.outputs = outputs;
    out.outputs_max = ST_OUTPUTS_MAX;
    out.segments = segments;
    out.segments_max = ST_SEGMENTS_MAX;
    out.bytes = bytes;
    out.bytes_max = ST_BYTES_MAX;
    struct st_state *s = calloc(1, sizeof *s);
    void *pool = calloc(1, 1u << 20);
    uint64_t counters[ST_COUNTERS] = {0};
    st_pool_init(pool, ST_BLOCKS_FOR_ONE);
    int result = st_open(s, pool, counters, config, 1, 0, &out);
    absent = s->w.maybe.value + s->w.places.at[1].value;
    free(s);
    free(pool);
    return result;
}

int main(void) {
    struct st_config config;
    st_config_default(&config);
    config.w_side.place = 9;
    config.w_few.at[2]._1 = 3;
    if (opened(&config) != NACRE_OK) { return 1; }
#define REFUSED(n, member, value) { struct st_config wrong = config; wrong.member = value; \
    if (opened(&wrong) != NACRE_INVALID) { return n; } }
    REFUSED(2, w_side.place, 10)
    REFUSED(3, w_side.kind, 2)
    REFUSED(4, w_side.more.word[1], 64)
    REFUSED(5, w_few.at[2]._0, 32)
    REFUSED(6, w_few.at[2]._1, 4)
    REFUSED(7, w_word.len, 4)
    config.w_maybe.value = 2;
    if (opened(&config) != NACRE_OK) { return 8; }
    config.w_places.at[1].value = 200;
    config.w_places.at[2].some = true;
    config.w_places.at[2].value = 3;
    if (opened(&config) != NACRE_OK || absent != 0) { return 10; }
    REFUSED(9, w_maybe.some, true)
    return 0;
}
"#;

#[test]
fn given_values_with_a_part_that_does_not_fit_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = Session::from_text(Path::new("st.nacre"), GIVEN);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let emitted = write(&stack, Level::Inline, &|_| None);
    std::fs::write(folder.path().join("st.h"), emitted.header).expect("written");
    std::fs::write(folder.path().join("st.c"), emitted.source).expect("written");
    let whole = folder.path().join("whole.c");
    std::fs::write(folder.path().join("stated.c"), STATED).expect("written");
    std::fs::write(&whole, "#include \"st.c\"\n#include \"stated.c\"\n").expect("written");
    let program = folder.path().join("stated");
    live::compile("gcc", &whole, &program, &["-O1"]);
    let ran = std::process::Command::new(&program).status().expect("it runs");
    assert_eq!(ran.code(), Some(0), "the number of the value that was taken or refused wrongly");
}

#[test]
fn functions_of_the_host_get_bytes_whatever_their_names_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = Session::from_text(Path::new("st.nacre"), SOURCE);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    std::fs::write(folder.path().join("host.c"), HOST).expect("written");
    let whole = folder.path().join("whole.c");
    std::fs::write(&whole, "#include \"st.c\"\n#include \"host.c\"\n").expect("written");
    for level in [Level::Queue, Level::Call, Level::Inline] {
        let emitted = write(&stack, level, &|_| None);
        std::fs::write(folder.path().join("st.h"), emitted.header).expect("written");
        std::fs::write(folder.path().join("st.c"), emitted.source).expect("written");
        for compiler in ["gcc", "clang"].into_iter().filter(|c| live::has(c)) {
            let program = folder.path().join("host");
            let flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-Wno-conversion"];
            live::compile(compiler, &whole, &program, &flags);
            let ran = std::process::Command::new(&program).output().expect("it runs");
            let told = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
            assert!(ran.status.success(), "{} {compiler}: {told:?}", level.name());
            assert_eq!(told.0, "4\n7\n", "{} {compiler}", level.name());
        }
    }
}
