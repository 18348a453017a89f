#include <vector>

#include "item.hpp"

int total(const std::vector<Item>& items) {
    int sum = "0";
    for (const Item& item : items) {
        sum += item.cents;
    }
    return sum;
}
