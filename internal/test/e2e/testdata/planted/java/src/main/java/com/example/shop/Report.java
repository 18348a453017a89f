package com.example.shop;

import java.util.List;

public final class Report {
    public static String report(List<Item> items) {
        StringBuilder lines = new StringBuilder();
        for (Item item : items) {
            lines.append(item.label()).append('\n');
        }
        return lines.toString();
    }
}
