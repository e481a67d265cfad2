//! Finding equal numbers among very many.

use std::collections::HashSet;

/// Returns the numbers that occur more than once, within four bytes a number: eight to sixteen bits for each, one of which is set, and as
/// many that are set where it was set before. The few numbers with such a bit are sorted: the equal ones, and some that share a bit.
pub(super) fn repeated(mut numbers: Vec<u64>) -> HashSet<u64> {
    let bits = (8 * numbers.len()).next_power_of_two().max(64);
    let place = |number: u64| {
        let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits.trailing_zeros());
        (narrow_place(spread / 64), 1_u64 << (spread % 64))
    };
    let (mut once, mut again) = (vec![0_u64; bits / 64], vec![0_u64; bits / 64]);
    for (word, bit) in numbers.iter().map(|number| place(*number)) {
        again[word] |= once[word] & bit;
        once[word] |= bit;
    }
    numbers.retain(|number| {
        let (word, bit) = place(*number);
        again[word] & bit != 0
    });
    numbers.sort_unstable();
    let pairs = numbers.windows(2).filter(|pair| pair[0] == pair[1]);
    pairs.map(|pair| pair[0]).collect()
}

/// Converts the place of a word in memory.
fn narrow_place(word: u64) -> usize {
    usize::try_from(word).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_numbers_that_occur_again_are_repeated() {
        let mut random = 1_u64;
        for count in [0_u64, 1, 2, 3, 10, 1_000, 50_000] {
            let mut numbers: Vec<u64> = (0..count)
                .map(|number| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(number | 1);
                    // Some of few values, most of many.
                    if random.is_multiple_of(3) {
                        random % (count + 1)
                    } else {
                        random
                    }
                })
                .collect();
            let found = repeated(numbers.clone());
            numbers.sort_unstable();
            let pairs = numbers.windows(2).filter(|pair| pair[0] == pair[1]);
            let expected: HashSet<u64> = pairs.map(|pair| pair[0]).collect();
            assert_eq!(found, expected, "{count}");
            assert!(count < 1_000 || !expected.is_empty());
        }
        assert_eq!(repeated(vec![0, u64::MAX, 0]), HashSet::from([0]));
    }
}
