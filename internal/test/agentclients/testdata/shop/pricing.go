package shop

// vouchers maps the code of a voucher to its discount in percent.
var vouchers = map[string]int{"SPRING": 10, "FRIENDS": 20}

// discount returns the reduction that a voucher gives, in cents.
func discount(subtotal int, voucher string) int {
	return subtotal * vouchers[voucher] / 100
}

// shipping returns the cost of the parcel. Orders of 50.00 and more are free.
func shipping(subtotal int) int {
	if subtotal >= 5000 {
		return 0
	}
	return 490
}
