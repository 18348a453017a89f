// Package order has orders.
package order

import "example.com/shop/item"

// First returns the first item.
func First(items []item.Item) item.Item { return itms[0] }
