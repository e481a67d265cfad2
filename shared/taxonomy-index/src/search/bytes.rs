//! Numbers of variable length: seven bits a byte, the lowest first.

/// Appends a number.
pub(crate) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
}

/// Reads from the start of bytes. Each method returns none if the bytes end early or contain no such value.
#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        // Most numbers are short.
        let (number, rest) = match self.rest {
            [a @ 0..0x80, rest @ ..] => (u64::from(*a), rest),
            [a, b @ 0..0x80, rest @ ..] => (u64::from(a & 0x7f) | u64::from(*b) << 7, rest),
            [a, b, c @ 0..0x80, rest @ ..] => (
                u64::from(a & 0x7f) | u64::from(b & 0x7f) << 7 | u64::from(*c) << 14,
                rest,
            ),
            _ => return self.long_number(),
        };
        self.rest = rest;
        Some(number)
    }

    fn long_number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // The tenth byte has one significant bit.
                return (shift < 63 || byte <= 1).then_some(number);
            }
        }
        None
    }

    pub(crate) fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// Takes the bytes of this many numbers.
    pub(crate) fn take_numbers(&mut self, count: usize) -> Option<&'a [u8]> {
        let (mut at, mut left) = (0, count);
        // Eight bytes at once: the last byte of a number has no highest bit.
        while let Some(eight) = self.rest.get(at..at + 8) {
            let bits = u64::from_le_bytes(eight.try_into().ok()?) & 0x8080_8080_8080_8080;
            let ends = 8 - bits.count_ones() as usize;
            if ends >= left {
                break;
            }
            at += 8;
            left -= ends;
        }
        while left > 0 {
            left -= usize::from(*self.rest.get(at)? < 0x80);
            at += 1;
        }
        self.take(at)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_pushed() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            let mut reader = Bytes::new(&bytes);
            assert_eq!(reader.number(), Some(number));
            assert!(reader.is_empty());
            bytes.pop();
            assert_eq!(Bytes::new(&bytes).number(), None, "{number} without its end");
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_none() {
        assert_eq!(Bytes::new(&[0xff; 11]).number(), None);
        let mut bytes = [0x80; 10];
        bytes[9] = 2;
        assert_eq!(Bytes::new(&bytes).number(), None);
    }
}
