pub mod item;
pub mod order;
pub mod price;
pub mod report;
