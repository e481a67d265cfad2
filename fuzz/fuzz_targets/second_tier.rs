//! An entry as the second tier keeps it: any bytes are believed or a miss, and what is believed is the same once this build has written
//! it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookup::fuzzing::reencoded;

fuzz_target!(|bytes: &[u8]| {
    let Some(written) = reencoded(bytes) else {
        return;
    };
    let written = written.expect("what was read can be written");
    let again = reencoded(&written).expect("what was written can be read");
    assert_eq!(again, Some(written), "there is one way to write it");
});
