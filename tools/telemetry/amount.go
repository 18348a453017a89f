package telemetry

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	// priceDigits is the largest number of decimal places of a price.
	priceDigits = 12
	// maxPrice is the highest price of 1,000 tokens, in units of the currency.
	maxPrice = 1_000_000
	// maxNumber is the longest number in a price file, in bytes.
	maxNumber = 64
)

// amount is a price in units of 10⁻¹² of the currency. Sums of amounts need no rounding.
type amount uint64

// unit is one unit of the currency.
const unit = amount(1_000_000_000_000)

// parseAmount parses a JSON number without rounding. It returns an error for a negative number,
// more than 12 decimal places, or a number above maxPrice.
func parseAmount(token string) (amount, error) {
	switch {
	case len(token) > maxNumber:
		return 0, fmt.Errorf("has %d characters; at most %d are read", len(token), maxNumber)
	case strings.HasPrefix(token, "-"):
		return 0, errors.New("must not be negative")
	}
	mantissa, exponent := token, 0
	if at := strings.IndexAny(token, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(token[at+1:]); err != nil || exponent < -maxNumber || exponent > maxNumber {
			return 0, errors.New("has an exponent that is out of bounds")
		}
		mantissa = token[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	if shift := exponent - len(fraction) + priceDigits; shift >= 0 {
		digits += strings.Repeat("0", shift)
	} else {
		kept, cut := strings.TrimRight(digits, "0"), -shift
		if len(digits)-len(kept) < cut {
			return 0, fmt.Errorf("has more than %d decimal places", priceDigits)
		}
		digits = digits[:len(digits)-cut]
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > maxPrice*uint64(unit) {
		return 0, fmt.Errorf("must not be more than %d", maxPrice)
	}
	return amount(n), nil
}

// float returns the nearest floating-point number.
func (a amount) float() float64 {
	f, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(a)), new(big.Int).SetUint64(uint64(unit))).Float64()
	return f
}

// bill adds up the cost of tokens exactly. Only total rounds.
type bill struct {
	sum big.Int // in thousandths of an amount
}

// add adds the cost of tokens at a price for 1,000 tokens.
func (b *bill) add(tokens int64, price amount) {
	cost := new(big.Int).Mul(big.NewInt(tokens), new(big.Int).SetUint64(uint64(price)))
	b.sum.Add(&b.sum, cost)
}

// total returns the sum, rounded to 10⁻⁹ of the currency.
func (b *bill) total() float64 {
	const step = 1_000 * 1_000 // rounds away three digits of the amount and the factor for 1,000 tokens
	nano := new(big.Int).Add(&b.sum, big.NewInt(step/2))
	nano.Quo(nano, big.NewInt(step))
	f, _ := new(big.Rat).SetFrac(nano, big.NewInt(1_000_000_000)).Float64()
	return f
}
