//! The exit status of every verb, and its single message: for sources, arguments, outputs and tools of every kind.

mod common;

mod exits {
    mod arguments;
    mod desk;
    mod inputs;
    mod long;
    mod outputs;
}
