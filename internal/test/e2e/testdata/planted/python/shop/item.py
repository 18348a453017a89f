from dataclasses import dataclass


@dataclass
class Item:
    name: str
    cents: int


def label(item: Item, count: int) -> str:
    return f"{count} x {item.name}"
