pub struct Item {
    pub name: String,
    pub cents: u32,
}

pub fn label(item: &Item, count: u32) -> String {
    format!("{} x {}", count, item.name)
}
