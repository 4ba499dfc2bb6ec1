//! The cost of `encrypt` beyond that of the functions of the host, which are those of libsodium.

use std::path::Path;

use nacre_driver::Level;

use crate::harness::{build, difference, emit, PERFORMANCE};
use crate::place::here;

/// A stack with `encrypt`, and the same without it: instructions of one message, at the end that sends and at the one
/// that receives.
pub struct Encryption {
    pub stack: &'static str,
    pub plain: &'static str,
    pub level: Level,
    pub send: End,
    pub deliver: End,
}

/// Instructions of an end.
pub struct End {
    /// With `encrypt`, the functions of the host included.
    pub all: f64,
    /// Of these, the functions of the host.
    pub host: f64,
    /// Without `encrypt`.
    pub plain: f64,
}

impl End {
    /// What `encrypt` costs beyond the functions of the host.
    pub fn more(&self) -> f64 {
        self.all - self.host - self.plain
    }
}

/// Measures the stacks at two levels; messages alternate in direction, so each frame carries one.
pub fn measure(folder: &Path, file: &Path) -> Result<Vec<Encryption>, String> {
    let pairs = [("encrypted", "one"), ("encrypted_reliable", "reliable_plain")];
    let all = pairs.into_iter().flat_map(|of| [Level::Inline, Level::Bypass].map(|level| (of, level)));
    all.map(|(of, level)| compare(folder, file, of, level)).collect()
}

fn compare(folder: &Path, file: &Path, of: (&'static str, &'static str), level: Level) -> Result<Encryption, String> {
    let (stack, plain) = of;
    eprintln!("measuring {stack} at level {}", level.name());
    let ([send, deliver], [seal, unseal]) = counted(folder, file, stack, level, true)?;
    let ([plain_send, plain_deliver], _) = counted(folder, file, plain, level, false)?;
    Ok(Encryption {
        stack,
        plain,
        level,
        send: End { all: send, host: seal, plain: plain_send },
        deliver: End { all: deliver, host: unseal, plain: plain_deliver },
    })
}

/// Instructions of a message: to send and to deliver it, and of the functions of the host.
fn counted(
    folder: &Path,
    file: &Path,
    stack: &str,
    level: Level,
    sealed: bool,
) -> Result<([f64; 2], [f64; 2]), String> {
    let prefix = format!("{stack}_counted");
    emit(folder, file, stack, level, &prefix)?;
    let adapter = here().join("../adapters/nacre_sodium.c").display().to_string();
    let more = if sealed { &[adapter.as_str(), "-lsodium"][..] } else { &[] };
    let program = build(folder, &prefix, more)?;
    let each = difference(&program, &["pingpong"], folder, PERFORMANCE.counted)?;
    let own = |name: &str| each(&format!("{prefix}_{name}"));
    let entries = [own("above_send"), own("input") + own("tick")];
    if entries[0] <= 0.0 || entries[1] <= 0.0 || sealed && each("nacre_seal") <= 0.0 {
        return Err(format!("callgrind does not name the functions of {prefix}"));
    }
    Ok((entries, [each("nacre_seal"), each("nacre_unseal")]))
}
