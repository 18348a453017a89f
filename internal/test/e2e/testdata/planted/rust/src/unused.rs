pub fn unused() -> u32 {
    0
}
