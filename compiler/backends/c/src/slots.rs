//! The members of message structs that hold the headers of a layer.

use nacre_stack::*;

use crate::names::{self, Unique};

/// The members for the headers of one layer.
pub struct Slots {
    /// Name of the tag, whose value is 0 (no header) or the header's [`Slots::number`].
    pub tag: String,
    pub headers: Vec<HeaderId>,
    /// Name and type of each place.
    pub places: Vec<(String, Type)>,
    /// For each header, which place each field has.
    pub fields: Vec<Vec<usize>>,
}

impl Slots {
    /// The value of the tag of messages that carry a header: 1 + its index among those of the layer.
    pub fn number(&self, header: HeaderId) -> usize {
        1 + self.headers.iter().position(|h| *h == header).expect("a header of the layer")
    }

    /// The member of messages for a field of a header.
    pub fn place(&self, header: HeaderId, field: usize) -> &str {
        &self.places[self.fields[self.number(header) - 1][field]].0
    }
}

/// Assigns members to the fields of a layer's headers. Fields of different headers share a member if their types are
/// equal; fields of equal names do so first. `members`: names that the structs of messages have already.
pub fn slots(stack: &Stack, layer: LayerId, name: &str, members: &mut Unique) -> Slots {
    let headers: Vec<HeaderId> =
        (0..stack.headers.len() as u32).map(HeaderId).filter(|h| stack.header(*h).layer == layer).collect();
    // The name and type of each place, and the name that was wanted for it.
    let mut places: Vec<(String, Type)> = vec![];
    let mut wanted_names: Vec<String> = vec![];
    let mut all = vec![];
    for header in &headers {
        let mut mine: Vec<usize> = vec![];
        for field in &stack.header(*header).fields {
            let wanted = format!("{name}_{}", names::plain(&field.name));
            let free = |i: &usize| places[*i].1 == field.ty && !mine.contains(i);
            let same = (0..places.len()).filter(free).find(|i| wanted_names[*i] == wanted);
            let place = same.or_else(|| (0..places.len()).find(free)).unwrap_or_else(|| {
                let taken = wanted_names.contains(&wanted);
                let name = if taken { format!("{wanted}_{}", places.len()) } else { wanted.clone() };
                wanted_names.push(wanted.clone());
                places.push((members.take(&name), field.ty.clone()));
                places.len() - 1
            });
            mine.push(place);
        }
        all.push(mine);
    }
    Slots { tag: name.to_string(), headers, places, fields: all }
}
