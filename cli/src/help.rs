//! The text of `--help` after the options: exit statuses, and examples that run in a checkout.

/// The text for `nacre`.
pub const LINE: &str = "Exit status:
  0 success, 1 failure, 2 wrong usage, 3 undecided (a tool is missing, or the command is not built yet)";

/// The text for `nacre new`.
pub const NEW: &str = "Example:
  nacre new chat
  nacre test chat/chat.nacre";

/// The text for `nacre library`.
pub const LIBRARY: &str = "Example:
  nacre library
  nacre library pt2pt.nacre";

/// The text for `nacre runtime`.
pub const RUNTIME: &str = "Cargo compiles the runtime from the sources that this program was built from.

Example:
  nacre runtime --install ~/.local
  nacre runtime --python env";

/// The text for `nacre import`.
pub const IMPORT: &str =
    "Writes NAME.so (with --isolate, NAME.isolated.so), and beside it the library of STREAMS routines with its
headers, and the program of isolated instances.

Exit status: 0 imported, 1 the source needs what the environment lacks, or does not compile

Example:
  nacre import encapsulation/stacks/appletalk --environment bsd44 --name appletalk \
      --description encapsulation/stacks/appletalk/imports/both.toml -o capsules";

/// The text for `nacre check`.
pub const CHECK: &str = "Example:
  nacre check examples/reliable.nacre";

/// The text for `nacre fmt`.
pub const FMT: &str = "Example:
  nacre fmt --check layers/*.nacre";

/// The text for `nacre explain`.
pub const EXPLAIN: &str = "Example:
  nacre explain examples/reliable.nacre --stack reliable";

/// The text for `nacre build`.
pub const BUILD: &str = "Example:
  nacre build examples/reliable.nacre --stack reliable -o out
  gcc -O2 -c out/reliable.c
  nacre build examples/reliable.nacre --stack reliable -o out --with-listener

At level bypass only what z3 and cvc5 prove is emitted as a bypass; proofs are kept in the user's cache.";

/// The text for `nacre run`.
pub const RUN: &str = "\
A stack that has a layer with keys encrypts, and both ends prove who they are: by keys, which are made on first \
use (`nacre keys`), or by a secret that both have (`--psk-file`). A stack without such a layer needs `--plain` on \
both sides.

Example:
  nacre run examples/secure.nacre --stack secure receive --listen [::]:7000 --out copy
  nacre run examples/secure.nacre --stack secure send --to [::1]:7000 --file original --loss 5%
  nacre run examples/reliable.nacre --stack reliable send --plain --to [::1]:7000 --file original";

/// The text for `nacre keys`.
pub const KEYS: &str =
    "The keys are in $XDG_CONFIG_HOME/nacre or ~/.config/nacre: `secret_key`, and the keys of peers in `known_peers`.

Example:
  nacre keys new
  nacre keys show";

/// The text for `nacre keys psk`.
pub const PSK: &str = "Example:
  nacre keys psk --output secret";

/// The text for `nacre sim`.
pub const SIM: &str = "Properties:
  complete  every message arrives, and closing ends
  once      no message arrives twice
  order     messages arrive in the order in which they were sent
  intact    every message that arrives was sent
  quiet     nothing arrives after `closed`
  unbroken  no assertion, invariant or bound is violated; machines in lockstep agree
  space     all message blocks are free after an orderly close

Example:
  nacre sim examples/reliable.nacre --stack reliable --runs 100 --loss 10% --level all";

/// The text for `nacre test`.
pub const TEST: &str = "Example:
  nacre test layers/pt2pt/pt2pt.nacre";

/// The text for `nacre verify`.
pub const VERIFY: &str = "Example:
  nacre verify layers/pt2pt/pt2pt.nacre
  nacre verify examples/reliable.nacre --stack reliable --set send=4,0 --trace run.json
  nacre verify layers/lose/lose.nacre --propose
  nacre verify examples/reliable.nacre --stack reliable --engine router --set crashes=1

Exit status:
  0 holds, 1 violated (or a mutant survives, or the source has an error), 2 wrong usage,
  3 undecided (the search is incomplete, or impossible)";

/// The text for `nacre replay`.
pub const REPLAY: &str = "Example:
  nacre verify examples/reliable.nacre --stack reliable --trace run.json
  nacre replay run.json --level inline
  nacre replay run.json --level queue --gdb";

/// The text for `nacre prove`.
pub const PROVE: &str = "Example:
  nacre prove examples/reliable.nacre --stack reliable
  nacre prove layers/floor/tests.nacre --stack floor_alone --certificate certificates
  nacre prove layers/frag/tests.nacre --stack frag_tight --infer

Each handler is examined alone: for any state in which the invariants of its layer hold, any event and any message. z3
and cvc5 must both agree. A bypass is proved to leave what the handlers of all layers leave, where its condition holds.
What is not proved may hold all the same; docs/proofs.md explains what a counterexample means. With
`--infer`, invariants that no layer states are looked for in simulated runs, and proved; large windows take minutes.

With --certificate, DIR has for each claim that a solver has to prove a formula (.cnf) and a proof that it has no model
(.drat), which CaDiCaL writes and Nacre checks; `check-certificates DIR` checks them again. The problem for z3 and cvc5
(.smt2) is beside them.

Exit status: 0 if everything is proved, and has certificates if these are asked for, 1 if the source has errors, 2 for
wrong usage, 3 if something is not proved.";

/// The text for `nacre profile`.
pub const PROFILE: &str = "The runs are conversations and streams between two endpoints, as those of `nacre sim`.

Example:
  nacre profile examples/reliable.nacre --stack reliable --loss 1% -o reliable.profile
  nacre build examples/reliable.nacre --stack reliable --level bypass --profile reliable.profile -o out";

/// The text for `nacre reproduce`.
pub const REPRODUCE: &str = "Tables and figures:
  accelerator-4, accelerator-figure-4, accelerator-figure-5, accelerator-clients  van Renesse 1996
  encapsulation-5, encapsulation-6, encapsulation-7                               Krupczak et al. 1996
  promelapp-1                                                                     Basu et al. 1997
  ensemble-1, ensemble-2, ensemble-figure-6                                       Liu et al. 1999

Needs gcc and valgrind.

Example:
  nacre reproduce promelapp-1
  nacre reproduce all --html papers.html";

/// The text for `nacre dissector`.
pub const DISSECTOR: &str = "Example:
  nacre dissector examples/reliable.nacre --stack reliable";

/// The text for `nacre run receive`.
pub const RECEIVE: &str = "Example:
  nacre run examples/secure.nacre --stack secure receive --listen 0.0.0.0:7000 --out received/
  nacre run examples/secure.nacre --stack secure receive --listen 0.0.0.0:7000 --out received/ --allow KEY
  nacre run examples/secure.nacre --stack secure receive --listen 0.0.0.0:7000 --out received/ --resume";

/// The text for `nacre run send`.
pub const SEND: &str =
    "The key of the first contact is remembered under ADDR, with a warning. Another key there later is an error.

Example:
  nacre run examples/secure.nacre --stack secure send --to 10.0.0.2:7000 --file original
  nacre run examples/secure.nacre --stack secure send --to 10.0.0.2:7000 --file original --peer KEY
  nacre run examples/secure.nacre --stack secure send --to example.org:7000 -r --file folder other.txt
  date | nacre run examples/secure.nacre --stack secure send --to [fe80::1%eth0]:7000 --file - --name today";

/// The text for `nacre run chat`.
pub const CHAT: &str = "Example:
  nacre run examples/secure.nacre --stack secure chat --listen [::1]:7000
  nacre run examples/secure.nacre --stack secure chat --to [::1]:7000";
