// Package report prints items.
package report

import "example.com/shop/item"

// Report returns a line for each item.
func Report(items []item.Item) (lines []string) {
	for _, i := range items {
		lines = append(lines, item.Label(i))
	}
	return lines
}
