//! Which emissions become calls.
use nacre_stack::*;
/// A decision about one emission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub handler: HandlerId,
    pub emission: usize,
    pub event: EventId,
    pub call: bool,
    pub reason: String,
}
pub fn decide(_: &mut Stack) -> Vec<Decision> {
    vec![]
}
