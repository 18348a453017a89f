#include "item.hpp"

std::string label(const Item& item, int count) { return std::to_string(count) + " x " + item.name; }
