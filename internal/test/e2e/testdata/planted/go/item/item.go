// Package item has the goods of a shop.
package item

import "fmt"

// Item is one kind of goods.
type Item struct {
	Name  string
	Cents int
}

// Label returns the text for a number of items.
func Label(i Item, count int) string { return fmt.Sprintf("%d x %s", count, i.Name) }
