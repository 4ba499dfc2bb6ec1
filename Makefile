# Everything that a person or CI runs. Each target installs what it needs on Debian and Ubuntu.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: demo test book bench bench-verify bench-peers soak setup setup-test setup-peers setup-processors build lint clean

## Sends a file through the stack `secure` over a bad network, and shows the stack.
demo: setup
	$(CARGO) build --release --package nacre
	tools/demo.sh $(TARGET)/release/nacre 64

## All tests; several programs at a time, because many of them wait.
test: setup-test
	CARGO="$(CARGO)" tools/test.py

## The documents as a site, in target/book. Links that lead nowhere are errors.
book:
	tools/install.sh mkdocs
	tools/book.py $(TARGET)

## Costs of the emitted code; writes the tables of docs/performance.md.
bench: setup-test
	$(CARGO) build --release --package nacre
	$(CARGO) run --release --package nacre-benches -- docs/performance.md

## Searches of the library, and the explorer against SPIN; writes the figures of docs/verification.md.
bench-verify: setup-test
	$(CARGO) build --release --package nacre --package nacre-benches
	$(TARGET)/release/nacre-benches --verification docs/verification.md

## Other transports beside this one; writes the figures and plots of docs/peers.md in about an hour, as root.
## QUICK=1: only whether all of it runs, in two minutes.
bench-peers: setup-peers
	$(CARGO) build --release --manifest-path benches/peers/Cargo.toml --target-dir $(TARGET)/peers
	$(TARGET)/peers/release/nacre-peers run $(if $(QUICK),--quick,docs/peers.md)

## Long campaigns.
soak: setup-test setup-processors
	NACRE_SOAK=1 $(CARGO) test --release --workspace -- --include-ignored --show-output
	tools/seed-protocol-bugs.sh
	tools/seed-router-bugs.sh
	tools/thread-sanitizer.sh

setup:
	tools/install.sh gcc libc6-dev

setup-test: setup
	tools/install.sh clang libclang-rt-dev valgrind tshark gdb spin z3 cvc5 cadical iproute2 python3-dissononce libsodium-dev \
		g++ pkg-config cmake python3 mypy mkdocs

## What stands beside it; Cargo and Maven get the rest.
setup-peers: setup
	tools/install.sh libenet-dev libzmq3-dev iproute2 default-jdk-headless maven

## Cross compilers and an emulator: powerpc and s390x (big-endian), arm (32 bits).
setup-processors: setup
	tools/install.sh qemu-user gcc-powerpc-linux-gnu libc6-dev-powerpc-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
		gcc-arm-linux-gnueabihf libc6-dev-armhf-cross

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

clean:
	$(CARGO) clean
