from .item import Item


def total(items: "list[Item]") -> int:
    result: int = "0"
    for item in items:
        result += item.cents
    return result
