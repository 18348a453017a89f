use crate::item::Item;

pub fn first(items: &[Item]) -> &Item {
    &itms[0]
}
