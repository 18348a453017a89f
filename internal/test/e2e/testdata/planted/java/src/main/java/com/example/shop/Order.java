package com.example.shop;

import java.util.List;

public final class Order {
    public static Item first(List<Item> items) {
        return itms.get(0);
    }
}
