// Package price adds up prices.
package price

import "example.com/shop/item"

// Total returns the price of all items.
func Total(items []item.Item) int {
	var sum int = "0"
	for _, i := range items {
		sum += i.Cents
	}
	return sum
}
