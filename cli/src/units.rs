//! Percentages, times and addresses of the command line.

use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use nacre_simulator::network::Partition;
use nacre_specification::members::{Members, MOST_MEMBERS};
use nacre_specification::{Setting, ValueKind};

/// `5%`: from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(pub f64);

impl FromStr for Probability {
    type Err = String;

    fn from_str(text: &str) -> Result<Probability, String> {
        let number = text.trim().strip_suffix('%').map(str::trim);
        let percent =
            number.and_then(|number| number.parse::<f64>().ok()).filter(|percent| (0.0..=100.0).contains(percent));
        percent
            .map(|percent| Probability(percent / 100.0))
            .ok_or_else(|| "expected a percentage from `0%` to `100%`".into())
    }
}

/// `5ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let wrong = || "expected a number with a unit (ns, us, ms, s, min, h), such as `5ms`".to_string();
        let text = text.trim();
        let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = (text[..at].parse::<f64>().map_err(|_| wrong())?, text[at..].trim());
        let (_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        let total = number * *nanoseconds as f64;
        // A year: longer than any run, and far below the largest representable duration.
        if total > 3.2e16 {
            return Err("expected a duration of at most a year".into());
        }
        Ok(Time(Duration::from_nanos(total as u64)))
    }
}

impl Time {
    /// Returns the time in nanoseconds.
    pub fn nanoseconds(self) -> u64 {
        self.0.as_nanos() as u64
    }
}

/// `2s/300ms`.
pub fn partition(text: &str) -> Result<Partition, String> {
    let (every, lasts) =
        text.split_once('/').ok_or("expected PERIOD/DURATION, such as `2s/300ms` (300 ms in every 2 s)")?;
    let (every, lasts) = (every.parse::<Time>()?.nanoseconds(), lasts.parse::<Time>()?.nanoseconds());
    if lasts >= every {
        return Err("a partition must be shorter than its period".into());
    }
    Ok(Partition { every, lasts })
}

/// The most addresses of a host that are tried.
const ADDRESSES: usize = 8;

/// `10.0.0.2:7000`, `[::1]:7000`, `[fe80::1%eth0]:7000`, or a host name and a port: the first address.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    addresses(text).map(|found| found[0])
}

/// All addresses, in the order of the system; at least one.
fn addresses(text: &str) -> Result<Vec<SocketAddr>, String> {
    let Some((host, port)) = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()) else {
        return Err("expected ADDRESS:PORT, such as `127.0.0.1:7000` or `[::1]:7000`".into());
    };
    let Ok(port) = port.parse::<u16>() else {
        return Err(format!("expected a port from 0 to 65535 after `:`, found `{port}`"));
    };
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if literal.is_none() && host.contains(':') {
        return Err("an IPv6 address is written in brackets, such as `[::1]:7000`".into());
    }
    // With the scope by the name or the number of an interface.
    let found = (literal.unwrap_or(host), port).to_socket_addrs().map_err(|error| match host.split_once('%') {
        Some((_, scope)) => {
            format!("cannot resolve the address: is there an interface `{}`?", scope.trim_end_matches(']'))
        }
        None => format!("cannot resolve the address: {error}"),
    })?;
    let mut addresses: Vec<SocketAddr> = vec![];
    for address in found.take(ADDRESSES) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    match addresses.is_empty() {
        true => Err("the host has no address".into()),
        false => Ok(addresses),
    }
}

/// A peer, and the name that the user has typed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub name: String,
    /// At least one. They are tried in this order.
    pub addresses: Vec<SocketAddr>,
}

impl Peer {
    /// The same without its IPv6 addresses, if others are left.
    pub fn over_ipv4(&self) -> Option<Peer> {
        let addresses: Vec<SocketAddr> = self.addresses.iter().copied().filter(SocketAddr::is_ipv4).collect();
        (!addresses.is_empty()).then(|| Peer { name: self.name.clone(), addresses })
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.addresses[..] {
            [one] => one.fmt(f),
            _ => f.write_str(&self.name),
        }
    }
}

/// An address to which frames can be sent.
pub fn peer(text: &str) -> Result<Peer, String> {
    let addresses = addresses(text)?;
    match addresses[0].port() {
        0 => Err("no peer has port 0: expected a port from 1 to 65535 after `:`".into()),
        // It is a word of a line in `known_peers`.
        _ if text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') => {
            Err("expected ADDRESS:PORT without spaces".into())
        }
        _ => Ok(Peer { name: text.to_string(), addresses }),
    }
}

/// Formats a time with a suitable unit.
pub fn duration(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 0.001 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Formats a number of bytes with a suitable unit.
pub fn bytes(count: f64) -> String {
    match count {
        b if b < 1024.0 => format!("{b:.0} B"),
        b if b < 1024.0 * 1024.0 => format!("{:.1} KiB", b / 1024.0),
        b if b < 1024.0 * 1024.0 * 1024.0 => format!("{:.1} MiB", b / (1024.0 * 1024.0)),
        b => format!("{:.2} GiB", b / (1024.0 * 1024.0 * 1024.0)),
    }
}

/// Parses the length of a message, which takes as much memory.
pub fn length(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok().filter(|length| *length <= 16 << 20);
    number.ok_or_else(|| "expected a number from 0 to 16777216".into())
}

/// Parses the number of endpoints.
pub fn members(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|count| Members::new(*count).is_some());
    number.ok_or_else(|| format!("expected a number from 2 to {MOST_MEMBERS}"))
}

/// Parses a setting of a world: `pt2pt.W=2`, `send=3,0`, `RTO=5ms`, `FRIENDLY=true`
pub fn setting(text: &str) -> Result<Setting, String> {
    let (key, values) = text.split_once('=').ok_or("write KEY=VALUE or KEY=VALUE,VALUE")?;
    let values: Option<Vec<(u64, ValueKind)>> = values.split(',').map(|value| setting_value(value.trim())).collect();
    let expected =
        "expected one or two values after `=`: numbers, durations such as `5ms` (at most a year), `true` or \
                    `false`";
    let values = values.ok_or_else(|| format!("`{text}`: {expected}"))?;
    let (values, kinds) = values.into_iter().unzip();
    let path = key.trim().split('.').map(str::to_string).collect();
    Ok(Setting { path, values, kinds, timing: None, names: vec![], span: Default::default() })
}

/// The number that a configuration has for a value of the source: a duration in nanoseconds, 1 for `true`.
fn setting_value(text: &str) -> Option<(u64, ValueKind)> {
    let number = match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (_, Some(positive)) => positive.parse().ok().map(u64::wrapping_neg),
        _ => text.parse().ok(),
    };
    match text {
        "true" => Some((1, ValueKind::Flag)),
        "false" => Some((0, ValueKind::Flag)),
        _ => number
            .map(|number| (number, ValueKind::Number))
            .or_else(|| text.parse().ok().map(|time| (Time::nanoseconds(time), ValueKind::Duration))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_need_their_sign() {
        assert_eq!("5%".parse(), Ok(Probability(0.05)));
        assert_eq!("2.5 %".parse(), Ok(Probability(0.025)));
        for wrong in ["0.05", "101%", "-1%", "%", "nan%"] {
            assert!(wrong.parse::<Probability>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_need_their_port() {
        assert_eq!(address("[::1]:7000"), Ok(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 7000))));
        assert!(address("localhost:7000").is_ok_and(|found| found.port() == 7000));
        assert!(address("127.0.0.1:0").is_ok() && peer("127.0.0.1:0").is_err() && peer("127.0.0.1:1").is_ok());
        for wrong in ["7000", ":7000", "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:http", "::1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scope_of_an_address_is_an_interface() {
        let found = peer("[fe80::1%lo]:7000").expect("every host has this interface");
        let [SocketAddr::V6(address)] = found.addresses[..] else { panic!("{found:?}") };
        assert!(address.scope_id() > 0 && address.port() == 7000 && found.name == "[fe80::1%lo]:7000");
        assert_eq!(peer("[fe80::1%1]:7000").map(|peer| peer.addresses), Ok(vec![address.into()]));
        let unknown = peer("[fe80::1%no-such]:7000").unwrap_err();
        assert!(unknown.contains("is there an interface `no-such`?"), "{unknown}");
        assert!(peer("::1:7000").unwrap_err().contains("brackets"));
    }

    #[test]
    fn values_of_settings_are_those_of_a_configuration() {
        let of = |text: &str| setting(text).map(|found| (found.path.join("."), found.values));
        assert_eq!(of("pt2pt.W=2"), Ok(("pt2pt.W".into(), vec![2])));
        assert_eq!(of("RTO=5ms, 1 s"), Ok(("RTO".into(), vec![5_000_000, 1_000_000_000])));
        assert_eq!(of("FRIENDLY=true,false"), Ok(("FRIENDLY".into(), vec![1, 0])));
        assert_eq!(of("LOST=0xff"), Ok(("LOST".into(), vec![255])));
        assert_eq!(of("n=-1"), Ok(("n".into(), vec![u64::MAX])));
        for wrong in ["W", "W=", "W=yes", "W=1,", "W=0x", "W=0x-1", "RTO=5 days", "RTO=-5ms"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_need_their_unit() {
        assert_eq!("5ms".parse(), Ok(Time(Duration::from_millis(5))));
        assert_eq!("1.5 s".parse(), Ok(Time(Duration::from_millis(1500))));
        for wrong in ["5", "ms", "5 days", "1e99h", "99999999999h", "ä", "-5ms"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
    }
}
