//! Where the headers of a layer stand in messages.

use nacre_stack::*;

use crate::names::{self, Unique};

/// Where the fields of a layer's headers stand in messages.
pub struct Slots {
    /// Name of the tag: 0, or 1 + place of the header among those of the layer.
    pub tag: String,
    pub headers: Vec<HeaderId>,
    /// Name and type of each place.
    pub places: Vec<(String, Type)>,
    /// For each header, which place each field has.
    pub fields: Vec<Vec<usize>>,
}

impl Slots {
    /// The tag of messages on which a header is.
    pub fn number(&self, header: HeaderId) -> usize {
        1 + self.headers.iter().position(|h| *h == header).expect("a header of the layer")
    }

    /// The member of messages for a field of a header.
    pub fn place(&self, header: HeaderId, field: usize) -> &str {
        &self.places[self.fields[self.number(header) - 1][field]].0
    }
}

/// Fields of one type share a place where their headers are not one; those of one name before others.
/// `members`: names that the structs of messages have already.
pub fn slots(stack: &Stack, layer: LayerId, name: &str, members: &mut Unique) -> Slots {
    let headers: Vec<HeaderId> =
        (0..stack.headers.len() as u32).map(HeaderId).filter(|h| stack.header(*h).layer == layer).collect();
    // What each place was to be called, and what it is called.
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
