use crate::item::Item;

pub fn total(items: &[Item]) -> u32 {
    let sum: u32 = "0";
    items.iter().fold(sum, |all, item| all + item.cents)
}
