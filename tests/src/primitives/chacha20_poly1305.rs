//! RFC 8439.

/// 2.1, the quarter round.
fn quarter(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    for (to, from, mixed, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        x[to] = x[to].wrapping_add(x[from]);
        x[mixed] = (x[mixed] ^ x[to]).rotate_left(by);
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// 2.3, one block of the key stream.
fn block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
    let mut start = [0; 16];
    start[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    key.chunks(4).enumerate().for_each(|(i, four)| start[4 + i] = word(four));
    start[12] = counter;
    nonce.chunks(4).enumerate().for_each(|(i, four)| start[13 + i] = word(four));
    let mut x = start;
    for _ in 0..10 {
        (0..4).for_each(|i| quarter(&mut x, i, 4 + i, 8 + i, 12 + i));
        (0..4).for_each(|i| quarter(&mut x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4));
    }
    let mut bytes = [0; 64];
    for i in 0..16 {
        bytes[4 * i..4 * i + 4].copy_from_slice(&x[i].wrapping_add(start[i]).to_le_bytes());
    }
    bytes
}

/// 2.4, from block 1 on.
fn encrypt(key: &[u8; 32], nonce: &[u8; 12], data: &[u8]) -> Vec<u8> {
    let blocks = data.chunks(64).zip(1..);
    blocks
        .flat_map(|(part, n)| part.iter().zip(block(key, n, nonce)).map(|(a, b)| a ^ b).collect::<Vec<u8>>())
        .collect()
}

/// Numbers modulo 2^130 - 5, as 17 bytes; each digit has room for carries.
type Number = [u64; 17];

/// Brings the digits below 256 again; 2^130 is 5.
fn carried(mut wide: [u64; 34]) -> Number {
    for _ in 0..3 {
        // The digit at place 16 holds two bits; what is above has the weight of 2^130.
        for i in 0..33 {
            wide[i + 1] += wide[i] >> 8;
            wide[i] &= 255;
        }
        let mut above = [0u64; 34];
        for i in 0..18 {
            above[i] = wide[16 + i] >> 2 | if i < 17 { (wide[17 + i] & 3) << 6 } else { 0 };
        }
        wide[16] &= 3;
        wide[17..].fill(0);
        (0..18).for_each(|i| wide[i] += 5 * above[i]);
    }
    std::array::from_fn(|i| wide[i])
}

/// 2.5, the authenticator.
fn poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut r: Number = [0; 17];
    (0..16).for_each(|i| r[i] = u64::from(key[i]));
    [3, 7, 11, 15].iter().for_each(|i| r[*i] &= 15);
    [4, 8, 12].iter().for_each(|i| r[*i] &= 252);
    let mut sum: Number = [0; 17];
    for part in message.chunks(16) {
        (0..part.len()).for_each(|i| sum[i] += u64::from(part[i]));
        sum[part.len()] += 1;
        let mut product = [0; 34];
        for (i, a) in sum.iter().enumerate() {
            (0..17).for_each(|j| product[i + j] += a * r[j]);
        }
        sum = carried(product);
    }
    tag(&sum, &key[16..])
}

/// The sum, reduced once more if it is not below 2^130 - 5, and the second half of the key, modulo 2^128.
fn tag(sum: &Number, pad: &[u8]) -> [u8; 16] {
    let mut less = [0; 34];
    less[..17].copy_from_slice(sum);
    less[0] += 5;
    (0..17).for_each(|i| {
        less[i + 1] += less[i] >> 8;
        less[i] &= 255;
    });
    let reduced = less[16] >= 4;
    let mut carry = 0;
    std::array::from_fn(|i| {
        carry += if reduced { less[i] } else { sum[i] } + u64::from(pad[i]);
        let digit = carry as u8;
        carry >>= 8;
        digit
    })
}

fn tag_of(key: &[u8; 32], nonce: &[u8; 12], also: &[u8], hidden: &[u8]) -> [u8; 16] {
    let first: [u8; 32] = block(key, 0, nonce)[..32].try_into().expect("32 bytes");
    let mut all = vec![];
    for part in [also, hidden] {
        all.extend(part);
        all.resize(all.len().next_multiple_of(16), 0);
    }
    [also, hidden].iter().for_each(|part| all.extend((part.len() as u64).to_le_bytes()));
    poly1305(&first, &all)
}

/// 2.8, encrypts and authenticates.
pub fn seal(key: &[u8; 32], nonce: &[u8; 12], also: &[u8], data: &[u8]) -> Vec<u8> {
    let mut hidden = encrypt(key, nonce, data);
    let tag = tag_of(key, nonce, also, &hidden);
    hidden.extend(tag);
    hidden
}

/// The inverse of [`seal`]; None of anything else.
pub fn open(key: &[u8; 32], nonce: &[u8; 12], also: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (hidden, tag) = sealed.split_at_checked(sealed.len().checked_sub(16)?)?;
    (tag_of(key, nonce, also, hidden) == tag).then(|| encrypt(key, nonce, hidden))
}

#[cfg(test)]
mod tests {
    use super::super::{bytes, hex};
    use super::*;

    fn fixed<const N: usize>(text: &str) -> [u8; N] {
        bytes(text).try_into().expect("the right length")
    }

    #[test]
    fn block_is_that_of_section_2_3_2() {
        let key: [u8; 32] = std::array::from_fn(|i| i as u8);
        let made = block(&key, 1, &fixed("000000090000004a00000000"));
        assert_eq!(hex(&made[..16]), "10f1e7e4d13b5915500fdd1fa32071c4");
        assert_eq!(hex(&made[48..]), "b5129cd1de164eb9cbd083e8a2503c4e");
    }

    #[test]
    fn authenticator_is_that_of_section_2_5_2() {
        let key = fixed("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
        assert_eq!(hex(&poly1305(&key, b"Cryptographic Forum Research Group")), "a8061dc1305136c6c22b8baf0c0127a9");
    }

    /// Appendix A.3, vectors 7 to 11: sums at the edges of the modulus.
    #[test]
    fn authenticator_reduces_sums_at_the_edges() {
        let made = |r: &str, s: &str, message: &str| {
            let zeros = "0".repeat(32 - r.len());
            hex(&poly1305(&fixed(&format!("{r}{zeros}{s}")), &bytes(message)))
        };
        let (none, all) = ("0".repeat(32), "f".repeat(32));
        assert_eq!(made("02", &none, &all), format!("03{}", "0".repeat(30)));
        assert_eq!(made("02", &all, &format!("02{}", "0".repeat(30))), format!("03{}", "0".repeat(30)));
        assert_eq!(
            made("01", &none, &format!("{all}f0{}11{}", "f".repeat(30), "0".repeat(30))),
            format!("05{}", "0".repeat(30))
        );
        let edge = format!("{all}fbfefefefefefefefefefefefefefefe{}", "01".repeat(16));
        assert_eq!(made("01", &none, &edge), none);
        assert_eq!(made("02", &none, &format!("fd{}", "f".repeat(30))), format!("fa{}", "f".repeat(30)));
    }

    #[test]
    fn sealed_message_is_that_of_section_2_8_2() {
        let key: [u8; 32] = std::array::from_fn(|i| 0x80 + i as u8);
        let (nonce, also) = (fixed("070000004041424344454647"), bytes("50515253c0c1c2c3c4c5c6c7"));
        let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
        let sealed = seal(&key, &nonce, &also, text);
        assert_eq!(sealed.len(), 114 + 16);
        assert_eq!(hex(&sealed[..16]), "d31a8d34648e60db7b86afbc53ef7ec2");
        assert_eq!(hex(&sealed[114..]), "1ae10b594f09e26a7e902ecbd0600691");
        assert_eq!(open(&key, &nonce, &also, &sealed).as_deref(), Some(&text[..]));
        assert_eq!(open(&key, &nonce, &also[1..], &sealed), None);
    }
}
