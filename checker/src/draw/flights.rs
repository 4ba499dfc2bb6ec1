//! Which arrival of a frame belongs to which sending.

use super::rows::Row;

/// A frame on its way.
#[derive(Debug, PartialEq)]
pub(super) struct Flight {
    /// The row in which it is sent.
    pub sent: usize,
    pub from: usize,
    /// The rows in which it, or a copy, arrives; none: it does not arrive in this run.
    pub arrivals: Vec<usize>,
}

/// All frames of a run.
pub(super) struct Flights {
    /// In the order in which they are sent.
    pub all: Vec<Flight>,
    /// Whether a frame arrives that no other endpoint has sent.
    pub appeared: bool,
}

impl Flights {
    /// Equal frames arrive in the order in which they were sent, and those that were sent last arrive rather than those
    /// before, at each endpoint. If more arrive than were sent, the others are copies.
    pub(super) fn of(rows: &[Row]) -> Flights {
        let sent = rows.iter().enumerate().filter_map(|(row, what)| match what {
            Row::Sends(end, _) => Some(Flight { sent: row, from: *end, arrivals: vec![] }),
            _ => None,
        });
        let mut flights = Flights { all: sent.collect(), appeared: false };
        for (row, what) in rows.iter().enumerate().rev() {
            let Row::Arrives { end, from, bytes } = what else { continue };
            let equal = |flight: &Flight| {
                flight.sent < row && matches!(&rows[flight.sent], Row::Sends(_, sent) if sent == bytes)
            };
            let other = |flight: &Flight| flight.from != *end;
            // A network that does not say who has sent a frame has it come from anybody.
            let told = |flight: &Flight| from.map_or(other(flight), |from| flight.from == from);
            let is_told = flights.all.iter().any(|flight| equal(flight) && told(flight));
            let is_sender = |flight: &Flight| if is_told { told(flight) } else { other(flight) };
            let same = flights.all.iter_mut().filter(|flight| equal(flight) && is_sender(flight));
            let mut same: Vec<&mut Flight> = same.collect();
            // Those before the first that has arrived here.
            let is_here = |row: &usize| matches!(&rows[*row], Row::Arrives { end: at, .. } if at == end);
            let free = same.iter().take_while(|flight| !flight.arrivals.iter().any(is_here)).count();
            match (free, same.len()) {
                (0, 0) => flights.appeared = true,
                (0, all) => same[all - 1].arrivals.push(row),
                (free, _) => same[free - 1].arrivals.push(row),
            }
        }
        flights.all.iter_mut().for_each(|flight| flight.arrivals.reverse());
        flights
    }

    /// The frame that is sent in a row.
    pub(super) fn sent_in(&self, row: usize) -> Option<usize> {
        self.all.iter().position(|flight| flight.sent == row)
    }

    /// The frame that arrives in a row.
    pub(super) fn arriving_in(&self, row: usize) -> Option<usize> {
        self.all.iter().position(|flight| flight.arrivals.contains(&row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Hex;

    /// A network may leave the sender open: the search then names an endpoint that has sent nothing like it.
    #[test]
    fn frame_comes_from_who_sent_it_if_the_named_sender_did_not() {
        let frame = |byte: u8| Hex(vec![byte]);
        let rows = [
            Row::Sends(0, frame(1)),
            Row::Sends(1, frame(2)),
            Row::Arrives { end: 2, from: Some(0), bytes: frame(2) },
            Row::Arrives { end: 2, from: Some(0), bytes: frame(1) },
            Row::Arrives { end: 2, from: Some(0), bytes: frame(3) },
        ];
        let flights = Flights::of(&rows);
        let arrivals: Vec<&[usize]> = flights.all.iter().map(|flight| &flight.arrivals[..]).collect();
        assert_eq!(arrivals, [[3], [2]]);
        assert!(flights.appeared, "nobody has sent the last one");
        assert!(!Flights::of(&rows[..4]).appeared);
    }
}
