//! Which transfer ends when a receiver has as many as it takes: nobody keeps others out by many of its own.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

/// The addresses that one user can have: an IPv4 address, or an IPv6 /64.
fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from(u128::from(ip) >> 64 << 64).into(),
        ip => ip,
    }
}

/// The youngest of the network that has most transfers, if that keeps more than the newcomer's gets. `transfers`: the
/// oldest first.
pub fn in_the_way<T: Copy>(transfers: &[(T, IpAddr)], newcomer: IpAddr) -> Option<T> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    transfers.iter().for_each(|(_, ip)| *counts.entry(network(*ip)).or_default() += 1);
    let most = counts.values().copied().max()?;
    let own = counts.get(&network(newcomer)).copied().unwrap_or(0);
    let is_of_most = |ip: IpAddr| counts.get(&network(ip)) == Some(&most);
    let youngest = transfers.iter().rev().find(|(_, ip)| is_of_most(*ip)).map(|(transfer, _)| *transfer);
    youngest.filter(|_| most > own + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn network_with_most_transfers_makes_room_for_others() {
        let [one, two, three] = [ip("10.0.0.1"), ip("10.0.0.2"), ip("10.0.0.3")];
        let transfers = [(1, one), (2, two), (3, one), (4, one), (5, two)];
        assert_eq!(in_the_way(&transfers, three), Some(4));
        assert_eq!(in_the_way(&transfers, two), None, "it would have more than the other");
        assert_eq!(in_the_way(&transfers, one), None);
        assert_eq!(in_the_way(&transfers[..2], three), None, "one for each");
        assert_eq!(in_the_way::<u8>(&[], one), None);
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let transfers = [(1, ip("2001:db8::1")), (2, ip("2001:db8::2")), (3, ip("2001:db8:0:1::1"))];
        assert_eq!(in_the_way(&transfers, ip("2001:db8:0:2::1")), Some(2));
        assert_eq!(in_the_way(&transfers, ip("2001:db8::3")), None);
        assert_eq!(network(ip("::ffff:10.0.0.1")), ip("10.0.0.1"));
    }
}
