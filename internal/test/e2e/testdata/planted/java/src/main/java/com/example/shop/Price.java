package com.example.shop;

import java.util.List;

public final class Price {
    public static int total(List<Item> items) {
        int sum = "0";
        for (Item item : items) {
            sum += item.cents;
        }
        return sum;
    }
}
