#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagekin_fuzz::config(bytes));
