//! Layers that call functions of the host: of each function a model of its contract runs, in the interpreter and in C.

use nacre_simulator::random::{hash, Random};

use super::exact::{UNLIKE, WRONG};
use super::generator::Generator;
use super::tree::{tree, Node, Role};
use super::types::Ty;

/// A parameter of functions of the host, and an argument for it.
struct Extra {
    declared: String,
    argument: String,
}

impl Generator {
    /// A layer with keys of the host that seals messages, in some programs. It draws from numbers of its own, so that
    /// the rest of a program is the same with and without it.
    pub fn host_worker(&mut self, seed: u64, speaks: &str) -> Option<(Node, Node)> {
        let of_program = std::mem::replace(&mut self.random, Random::new(hash(&[seed, 0x686f_7374])));
        let layer = self.percent(25).then(|| self.sealing(speaks));
        self.random = of_program;
        layer
    }

    fn sealing(&mut self, speaks: &str) -> (Node, Node) {
        let piece = self.piece();
        let name = format!("host{piece}");
        let (width, bits, range) = (self.width(64), self.width(64).max(8), 1 + self.below(100));
        let extra: Vec<Extra> = (0..self.below(4)).map(|at| self.extra(at)).collect();
        let (externs, arguments) = (self.externs(&name, &extra, (width, bits, range)), arguments(&extra));
        let head = format!("worker {name}{speaks} {{\n{externs}");
        let storage = format!(
            "header Sq {{ number: u8, hidden: u{width}, drawn: u{bits} }}\n\
             given {{\nsecret to: bytes<32> as sealing_key,\nsecret of: bytes<32> as opening_key,\n}}\n\
             state {{\nnumber: u8,\nsecret chain: bytes<32> = to,\n}}\n\
             counters {{ forged, {WRONG}, {UNLIKE} }}\n"
        );
        let send = format!(
            "down send(m) {{\n\
             let hidden = {name}_hide(to, number as u{width});\n\
             if {name}_show(to, hidden) != number as u{width} {{ count {WRONG}; }}\n\
             let drawn = {name}_draw(chain{arguments});\n\
             if drawn >= {range} {{ count {WRONG}; }}\n\
             chain = {name}_next(chain, hidden);\n\
             let signed = {name}_sign(to{arguments}, pack(m));\n\
             pass {name}_seal(to, number{arguments}, signed) + Sq {{ number, hidden, drawn }};\n\
             number += 1;\n}}\n"
        );
        let open = match self.percent(75) {
            true => format!("let plain = {name}_open(of, n{arguments}, m) else {{ count forged; return; }}\n"),
            false => format!("let plain = {name}_trust(of, n{arguments}, m);\n"),
        };
        let deliver = format!(
            "up deliver(m - Sq {{ number: n, hidden, drawn: _ }}) {{\n\
             if {name}_show(of, hidden) != n as u{width} {{ count {UNLIKE}; }}\n{open}\
             let whole = {name}_signed({name}_half(of){arguments}, plain) else {{ count forged; return; }}\n\
             pass unpack(whole) else {{ count forged; return; }}\n}}\n"
        );
        let node = tree![head, storage, send, deliver, "}\n\n"].with(Role::Piece(piece));
        (node, tree![name].with(Role::Piece(piece)))
    }

    /// The declarations of the functions: a seal and its inverses, a signature and its check, a number that is hidden
    /// and recovered, one that is drawn, and the next key.
    fn externs(&mut self, name: &str, extra: &[Extra], (width, bits, range): (u8, u8, usize)) -> String {
        let tag = [0, 1, 4, 16, 40][self.below(5)];
        let more: String = extra.iter().map(|extra| format!(", {}", extra.declared)).collect();
        let message = format!("key: bytes<32>, n: u8{more}, m: msg");
        let (half, signature) = ([1, 16, 32][self.below(3)], [0, 4, 64][self.below(3)]);
        format!(
            "extern {name}_seal({message}) -> msg grows {tag}, pure;\n\
             extern {name}_open({message}) -> msg? shrinks {tag}, pure, inverse of {name}_seal;\n\
             extern {name}_trust({message}) -> msg shrinks {tag}, pure, inverse of {name}_seal;\n\
             extern {name}_half(key: bytes<32>) -> bytes<{half}> pure;\n\
             extern {name}_sign(key: bytes<32>{more}, m: msg) -> msg grows {signature}, pure;\n\
             extern {name}_signed(key: bytes<{half}>{more}, m: msg) -> msg? shrinks {signature}, pure, \
             inverse of {name}_sign through {name}_half;\n\
             extern {name}_hide(key: bytes<32>, n: u{width}) -> u{width} pure;\n\
             extern {name}_show(key: bytes<32>, n: u{width}) -> u{width} pure, inverse of {name}_hide;\n\
             extern {name}_draw(key: bytes<32>{more}) -> u{bits} pure, range {range};\n\
             extern {name}_next(key: bytes<32>, n: u{width}) -> bytes<32> pure;\n"
        )
    }

    fn extra(&mut self, at: usize) -> Extra {
        let (ty, argument) = match self.below(6) {
            0 => (Ty::Bool, self.one(&["true", "false"]).to_string()),
            1 => (Ty::Bytes(3), "[1, 2, 3]".into()),
            2 => (Ty::Duration, self.duration()),
            _ => {
                let ty = self.number();
                let argument = self.literal(&ty);
                (ty, argument)
            }
        };
        Extra { declared: format!("x{at}: {}", ty.text()), argument }
    }
}

fn arguments(extra: &[Extra]) -> String {
    extra.iter().map(|extra| format!(", {}", extra.argument)).collect()
}
