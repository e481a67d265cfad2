//! An entry as the second tier keeps it: any bytes are believed or a miss, and what is believed is the same once this build has written
//! it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookup::fuzzing::Believed;

fuzz_target!(|bytes: &[u8]| {
    let Some(believed) = Believed::read(bytes) else {
        return;
    };
    let kept = believed.write().expect("what was read can be written");
    let again = Believed::read(&kept).expect("what was written can be read");
    assert_eq!(again.write(), Some(kept), "there is one way to write it");
});
