use crate::item::{label, Item};

pub fn report(items: &[Item]) -> Vec<String> {
    items.iter().map(|item| label(item)).collect()
}
