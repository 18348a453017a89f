#include <vector>

#include "item.hpp"

std::string report(const std::vector<Item>& items) {
    std::string lines;
    for (const Item& item : items) {
        lines += label(item) + "\n";
    }
    return lines;
}
