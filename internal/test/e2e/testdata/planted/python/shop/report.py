from .item import Item, label


def report(items: "list[Item]") -> str:
    return "\n".join(label(item) for item in items)
