//! Seed after seed.

use taxonomy_tests::effort::{seeds, spread};

use crate::proof::Part;
use crate::storm;
use crate::watch::Rules;

#[test]
fn in_whatever_order_it_happens_the_end_is_the_same() {
    let seeds = seeds(40, 4000);
    let wrong = spread(&seeds, async |seed| storm::run(*seed, Rules::All).await);
    Part::Interleavings.done(seeds.len(), &wrong);
}
