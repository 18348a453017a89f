package telemetry

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	// priceDigits are the decimal places of a price that are kept.
	priceDigits = 12
	// maxPrice is the most that a thousand tokens may cost.
	maxPrice = 1_000_000
	// maxNumber bounds the length of a number in a price file.
	maxNumber = 64
)

// amount is a price in units of 10⁻¹² of the currency, so that adding up never rounds.
type amount uint64

// unit is one unit of the currency.
const unit = amount(1_000_000_000_000)

// parseAmount reads a number of JSON, exactly.
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

// float is the nearest floating-point number.
func (a amount) float() float64 {
	f, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(a)), new(big.Int).SetUint64(uint64(unit))).Float64()
	return f
}

// bill adds up what tokens cost. It is exact until it is asked for a floating-point number.
type bill struct {
	sum big.Int // thousandths of an amount
}

// add puts tokens at a price for a thousand on the bill.
func (b *bill) add(tokens int64, price amount) {
	cost := new(big.Int).Mul(big.NewInt(tokens), new(big.Int).SetUint64(uint64(price)))
	b.sum.Add(&b.sum, cost)
}

// total is the sum, rounded to 10⁻⁹ of the currency.
func (b *bill) total() float64 {
	const step = 1_000 * 1_000 // what is rounded away: three digits of an amount, and of the tokens
	nano := new(big.Int).Add(&b.sum, big.NewInt(step/2))
	nano.Quo(nano, big.NewInt(step))
	f, _ := new(big.Rat).SetFrac(nano, big.NewInt(1_000_000_000)).Float64()
	return f
}
