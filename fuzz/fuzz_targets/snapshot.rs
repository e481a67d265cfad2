//! A stored snapshot: any bytes are read or refused, and what is read is written in one form from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taxonomy_model::{Hash, diff, snapshot};

fuzz_target!(|bytes: &[u8]| {
    let Ok((taxonomy, hash_read)) = snapshot::read(bytes) else {
        return;
    };
    assert_eq!(hash_read, Hash::digest(bytes));
    let mut stored = Vec::new();
    let hash = snapshot::write(&taxonomy, &mut stored).expect("memory takes everything");
    assert_eq!(Hash::digest(&stored), hash);
    let (again, _) = snapshot::read(&*stored).expect("what was written can be read");
    let mut stored_again = Vec::new();
    snapshot::write(&again, &mut stored_again).expect("memory takes everything");
    assert_eq!(stored_again, stored);
    assert!(diff(Some(&taxonomy), &again).is_empty());
});
