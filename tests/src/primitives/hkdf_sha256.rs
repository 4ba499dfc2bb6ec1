//! FIPS 180-4, RFC 2104 and RFC 5869.

/// The first 32 bits of the fractional parts of roots of the first primes, computed with integers.
fn roots(count: usize, root: u32) -> Vec<u32> {
    let primes = (2u128..).filter(|n| (2..*n).all(|d| n % d != 0));
    primes.take(count).map(|prime| fraction(prime, root)).collect()
}

/// 2^32 times the root of a number, rounded down: the greatest x with x^root at most number * 2^(32 * root).
fn fraction(number: u128, root: u32) -> u32 {
    let most = number << (32 * root);
    let mut x = 0u128;
    for bit in (0..40).rev() {
        let larger = x | 1 << bit;
        if larger.checked_pow(root).is_some_and(|power| power <= most) {
            x = larger;
        }
    }
    x as u32
}

/// FIPS 180-4, 6.2.
pub fn sha256(message: &[u8]) -> [u8; 32] {
    let mut state: Vec<u32> = roots(8, 2);
    let constants = roots(64, 3);
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    padded.chunks(64).for_each(|block| compress(&mut state, &constants, block));
    let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.try_into().expect("eight words")
}

fn compress(state: &mut [u32], constants: &[u32], block: &[u8]) {
    let turned = |x: u32, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c);
    let small = |x: u32, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ x >> c;
    let mut w: Vec<u32> = block.chunks(4).map(|four| u32::from_be_bytes(four.try_into().expect("four"))).collect();
    for t in 16..64 {
        let terms = [small(w[t - 2], [17, 19, 10]), w[t - 7], small(w[t - 15], [7, 18, 3]), w[t - 16]];
        w.push(terms.into_iter().fold(0, u32::wrapping_add));
    }
    let mut v = state.to_vec();
    for t in 0..64 {
        let choice = v[4] & v[5] ^ !v[4] & v[6];
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2];
        let one = [v[7], turned(v[4], [6, 11, 25]), choice, constants[t], w[t]].into_iter().fold(0, u32::wrapping_add);
        let two = turned(v[0], [2, 13, 22]).wrapping_add(majority);
        v.rotate_right(1);
        v[4] = v[4].wrapping_add(one);
        v[0] = one.wrapping_add(two);
    }
    state.iter_mut().zip(v).for_each(|(word, more)| *word = word.wrapping_add(more));
}

fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let padded = |with: u8| (0..64).map(move |i| key.get(i).copied().unwrap_or(0) ^ with);
    let inner: Vec<u8> = padded(0x36).chain(message.iter().copied()).collect();
    let outer: Vec<u8> = padded(0x5c).chain(sha256(&inner)).collect();
    sha256(&outer)
}

/// The first block of HKDF-Expand (RFC 5869, 2.3).
pub fn expand(key: &[u8; 32], label: &[u8]) -> [u8; 32] {
    let mut message = label.to_vec();
    message.push(1);
    hmac(key, &message)
}

#[cfg(test)]
mod tests {
    use super::super::{bytes, hex};
    use super::*;

    #[test]
    fn hash_is_that_of_the_standard() {
        assert_eq!(hex(&sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(&sha256(long)), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }

    #[test]
    fn expanded_key_is_that_of_rfc_5869_a_1() {
        let key = bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5").try_into().expect("32");
        let made = expand(&key, &bytes("f0f1f2f3f4f5f6f7f8f9"));
        assert_eq!(hex(&made), "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
    }
}
