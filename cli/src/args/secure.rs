//! Arguments that concern keys: of `nacre keys`, and of transfers.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use nacre_runtime::PublicKey;

use crate::help;
use crate::units::{peer, Peer};

/// Arguments of `nacre keys`.
#[derive(Args, Debug)]
pub struct Keys {
    #[command(subcommand)]
    pub what: KeysVerb,
}

/// The subcommands of `nacre keys`.
#[derive(Subcommand, Debug)]
pub enum KeysVerb {
    /// Makes a pair of keys, and prints the public key
    New(NewKeys),
    /// Prints the public key
    Show(ShowKeys),
    /// Writes a new secret that two users share, for `--psk-file`
    #[command(after_help = help::PSK)]
    Psk(NewPsk),
    /// Forgets the key of a peer: the next contact is the first one
    Forget(Forget),
}

/// Arguments of `nacre keys new`.
#[derive(Args, Debug)]
pub struct NewKeys {
    /// Replace existing keys: peers that know the old public key refuse the new one
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre keys show`.
#[derive(Args, Debug)]
pub struct ShowKeys {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre keys psk`.
#[derive(Args, Debug)]
pub struct NewPsk {
    /// The file to create; only its owner can read it
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre keys forget`.
#[derive(Args, Debug)]
pub struct Forget {
    /// The peer, as `--to` named it
    #[arg(value_name = "ADDR", value_parser = peer)]
    pub peer: Peer,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What protects a transfer, at both ends.
#[derive(Args, Debug)]
pub struct Protection {
    /// Do not encrypt and authenticate: for stacks without a layer with keys
    #[arg(long, conflicts_with = "psk_file")]
    pub plain: bool,
    /// Authenticate both ends by the secret in FILE, which both have (`nacre keys psk`), instead of keys
    #[arg(long, value_name = "FILE")]
    pub psk_file: Option<PathBuf>,
}

/// The peer that a sender expects.
#[derive(Args, Debug)]
pub struct Expected {
    /// Accept only a peer with this public key (`nacre keys show` prints it there) [default: trust the key of the
    /// first contact]
    #[arg(long, value_name = "KEY", conflicts_with_all = ["plain", "psk_file"])]
    pub peer: Option<PublicKey>,
}

/// The peers that a receiver accepts.
#[derive(Args, Debug)]
pub struct Allowed {
    /// Accept only peers with this public key (repeatable) [default: any]
    #[arg(long, value_name = "KEY", conflicts_with_all = ["plain", "psk_file"])]
    pub allow: Vec<PublicKey>,
}
