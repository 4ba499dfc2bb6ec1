//! Flaws that are planted into the model. Each differs from the design in one place; the search must refute it. Changes
//! that are harmless must not be refuted.

/// Declares the flaws, with the change and the property that it violates first.
macro_rules! flaws {
    (
        $($(#[$doc:meta])* $flaw:ident in $world:literal: $property:ident;)*
        => harmless: $($(#[$what:meta])* $change:ident in $place:literal;)*
    ) => {
        /// A change of the design.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Flaw { $($(#[$doc])* $flaw,)* $($(#[$what])* $change,)* }

        /// Changes that violate nothing, because something else ensures the same, and a world that could show it.
        pub const HARMLESS: &[(Flaw, &str)] = &[$((Flaw::$change, $place),)*];

        /// All flaws, with the world that refutes each, and the property that is violated there.
        pub const FLAWS: &[(Flaw, &str, Property)] = &[$((Flaw::$flaw, $world, Property::$property),)*];
    };
}

/// A property of every run (docs/handshake-model.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// The attacker does not derive keys of connections between honest ends.
    Secrecy,
    /// Nor once it has learnt all static keys and common secrets.
    ForwardSecrecy,
    /// Nor once it breaks Diffie-Hellman as well, if the suite is hybrid.
    HybridSecrecy,
    /// Nor a key of an epoch that both ends have erased, once it has learnt the present ones.
    EpochSecrecy,
    /// Who opens a connection has a peer that agrees on everything, and no other connection has the same one.
    Agreement,
    /// The peer is the one whom the application expects.
    ExpectedPeer,
    /// Messages of an honest peer are delivered only if it sent them on this connection, each once.
    Authenticity,
    /// A connection ends only for a reason that its ends have given.
    Ends,
    /// A connection is replaced only by a newer one of the same peer.
    Replacement,
    /// No key is used twice with the same nonce and another text.
    Nonces,
    /// The identity of an end is not shown to those to whom it is not meant.
    IdentityHiding,
    /// Nothing is weaker or plainer than was asked for.
    Downgrade,
    /// Data goes only to addresses at which the peer has answered.
    ValidatedAddress,
    /// Nothing is kept of a first frame whose sender does not receive frames at its address.
    ProvenAddress,
    /// A reset token is known to nobody but the two ends, as long as it can end a connection.
    ResetSecrecy,
    /// Frames that are not authentic change nothing.
    Undisturbed,
}

flaws! {
    /// The prologue omits the fingerprint.
    StackUnbound in "two-stacks": Agreement;
    /// The initiator's label is neither in the prologue nor compared with that of the payload.
    LabelUnbound in "first-contact": Agreement;
    /// XX: the prologue omits the initiator's label. Its payload comes too late, in message 3.
    LabelTooLate in "first-contact": Agreement;
    /// The responder's label is taken from the clear part of *respond*.
    ResponderLabelUnbound in "first-contact": Agreement;
    /// IK and psk: the responder opens the connection with message 1.
    FinishNotRequired in "known-key": Agreement;
    /// An *initiate* with the label of a *retry* counts as authenticated.
    RetryAuthenticates in "proof": Agreement;
    /// The label of a *retry* is valid for every address and connection.
    RetryUnbound in "proof": ProvenAddress;
    /// The responder replaces older connections with message 1.
    InitiateReplaces in "replacement": Replacement;
    /// A new connection replaces older ones before its peer has answered a ping on it.
    ReplacesUnasked in "replacement": Replacement;
    /// It does not matter which end began an older connection.
    DirectionsIgnored in "both-begin": Replacement;
    /// XX without `es`: the responder's static key is not proven.
    ResponderUnproven in "first-contact": Agreement;
    /// XX and IK without `se`: the initiator's static key is not proven.
    InitiatorUnproven in "first-contact": Agreement;
    /// IK without `se`: who has the responder's static key can take the part of any initiator.
    StaticsOnly in "compromised-responder": Agreement;
    /// Keys are derived of the hash of the messages, not of what was agreed on.
    KeysFromTranscript in "first-contact": Secrecy;
    /// Patterns without `ee`.
    EphemeralsUnmixed in "known-key": ForwardSecrecy;
    /// The key of the KEM is not mixed in.
    KemUnmixed in "hybrid": HybridSecrecy;
    /// The common secret is not mixed in.
    PskUnmixed in "common-secret": Agreement;
    /// The common secret is mixed in after the payloads.
    PskAfterPayload in "common-secret": Agreement;
    /// XX: static keys are sent in clear.
    StaticInClear in "passive": IdentityHiding;
    /// The initiator of XX does not compare the key with the one that it expects.
    KeyNotCompared in "pinned": ExpectedPeer;
    /// Identity numbers are not compared.
    IdentityNotCompared in "three-members": Agreement;
    /// An end answers its own *initiate*.
    ReflectionAccepted in "reflection": Agreement;
    /// The initiator of IK and psk says its reset token in message 1.
    TokenInMessageOne in "common-secret": ResetSecrecy;
    /// Reset tokens are an unkeyed hash of the label.
    TokenUnkeyed in "restart": ResetSecrecy;
    /// Frames to a label that is in use are answered with a reset, too.
    ResetOfUsedLabel in "restart": ResetSecrecy;
    /// Two listeners make reset tokens from one secret.
    SecretOfTwo in "two-listeners": ResetSecrecy;
    /// A reset is obeyed whatever its token.
    ResetUnchecked in "restart": Ends;
    /// The plain *unknown* ends a secure connection.
    UnknownEnds in "control": Ends;
    /// The plain *over* ends a secure connection.
    OverUnsealed in "control": Ends;
    /// The unauthenticated *refused* ends a connection after the answer.
    RefusedAfterAnswer in "control": Ends;
    /// Both directions have one key for control frames.
    ControlKeyShared in "control": Nonces;
    /// Sealed control frames have no replay window.
    ControlReplayed in "control": Authenticity;
    /// Both directions have one key for messages.
    DataKeyShared in "data": Authenticity;
    /// Messages have no replay window.
    DataReplayed in "data": Authenticity;
    /// The replay window moves before a message is authenticated.
    WindowBeforeAuthentication in "data": Undisturbed;
    /// The receiver turns to the next epoch before a message is authenticated.
    EpochBeforeAuthentication in "epochs": Undisturbed;
    /// The key of an epoch follows from that of the next one.
    RatchetReversible in "epochs": EpochSecrecy;
    /// The key of an epoch follows from its number alone.
    RatchetPublic in "epochs": Authenticity;
    /// Numbers begin again with an epoch, and the key stays.
    NonceRestarts in "epochs": Nonces;
    /// Keys of epochs are never erased.
    OldKeyKept in "epochs": EpochSecrecy;
    /// A restarted endpoint continues its connections from a copy of their first state.
    StateRestored in "restart-data": Nonces;
    /// A restarted endpoint draws the same random numbers again.
    RandomnessRepeats in "restart-data": Nonces;
    /// A connection moves to the address from which an authentic frame came.
    MoveUnvalidated in "address-change": ValidatedAddress;
    /// A connection moves with a pong that is not sealed.
    PongUnsealed in "address-change": ValidatedAddress;
    /// A refused secure stack is begun as a plain one.
    PlainFallback in "downgrade": Downgrade;
    /// The stack is also served in plain.
    PlainServed in "downgrade": Downgrade;
    /// An initiator accepts an answer of the weaker suite.
    SuiteFallback in "downgrade": Downgrade;
    => harmless:
    /// The prologue omits pattern and suite: Noise's name of the protocol has both.
    PlanNotInPrologue in "downgrade";
    /// Neither the prologue nor the name has the pattern and the suite: messages of other patterns have other parts.
    PlanUnbound in "compromised-initiator";
    /// The prologue omits the initiator's label: with IK, the payload of message 1 has it.
    LabelNotInPrologue in "known-key";
    /// The label of the initiator's payload is not compared: the prologue has it.
    LabelNotCompared in "known-key";
    /// Sealed frames do not authenticate their label: each connection has keys of its own.
    HeadUnbound in "replacement";
}

impl Flaw {
    /// The flaw of this name.
    pub fn named(name: &str) -> Option<Flaw> {
        FLAWS
            .iter()
            .map(|(flaw, ..)| *flaw)
            .chain(HARMLESS.iter().map(|(flaw, _)| *flaw))
            .find(|flaw| format!("{flaw:?}") == name)
    }
}
