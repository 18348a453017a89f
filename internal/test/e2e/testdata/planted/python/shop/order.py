from .item import Item


def first(items: "list[Item]") -> Item:
    return itms[0]
