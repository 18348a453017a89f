package com.example.shop;

public final class Item {
    public final String name;
    public final int cents;

    public Item(String name, int cents) {
        this.name = name;
        this.cents = cents;
    }

    public String label(int count) {
        return count + " x " + name;
    }
}
