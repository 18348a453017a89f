#include <vector>

#include "item.hpp"

const Item& first(const std::vector<Item>& items) { return itms[0]; }
