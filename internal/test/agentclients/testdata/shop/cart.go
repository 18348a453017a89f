package shop

// Item is a product in a cart, with its price in cents.
type Item struct {
	Name     string
	Price    int
	Quantity int
}

// Cart holds the items that a customer wants to buy.
type Cart struct {
	Items   []Item
	Voucher string
}

// Subtotal returns the sum of all items, before reductions.
func (c *Cart) Subtotal() int {
	sum := 0
	for _, item := range c.Items {
		sum += item.Price * item.Quantity
	}
	return sum
}
