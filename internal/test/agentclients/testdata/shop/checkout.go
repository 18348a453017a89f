package shop

import "errors"

// ErrEmpty reports an order without items.
var ErrEmpty = errors.New("the cart is empty")

// Order is a cart that was paid.
type Order struct {
	Cart  Cart
	Total int
}

// Checkout turns a cart into an order: the subtotal, less the discount, plus shipping.
func Checkout(c Cart) (*Order, error) {
	if len(c.Items) == 0 {
		return nil, ErrEmpty
	}
	subtotal := c.Subtotal()
	total := subtotal - discount(subtotal, c.Voucher) + shipping(subtotal)
	return &Order{Cart: c, Total: total}, nil
}
