#pragma once

#include <string>

struct Item {
    std::string name;
    int cents;
};

std::string label(const Item& item, int count);
