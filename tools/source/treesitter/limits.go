package treesitter

import (
	"context"
	"time"
)

// limits bounds the resources of one text and of the parser.
type limits struct {
	pages   uint32 // maximum linear memory of an instance, in pages of 64 KiB
	keep    int    // linear memory in bytes above which an instance is not reused
	keepAll int    // maximum memory in bytes of all idle grammars and instances

	// A text may spend this time in the grammar, and the same time again until it is a File. The
	// limit is a multiple of the time needed on a busy machine.
	least, perByte, most time.Duration
}

// defaultLimits returns the limits of a Parser from New.
func defaultLimits() limits {
	return limits{
		pages: 256 << 20 >> 16, keep: 64 << 20, keepAll: 200 << 20,
		least: 2 * time.Second, perByte: 10 * time.Microsecond, most: 20 * time.Second,
	}
}

// time returns the time limit of a text of n bytes.
func (l limits) time(n int) time.Duration {
	return min(l.most, l.least+time.Duration(n)*l.perByte)
}

// within calls f with a context that ends after most. The error is the error of ctx if it has
// ended, ErrTime if the time is over, and otherwise the error of f.
func within[T any](ctx context.Context, most time.Duration, f func(context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeoutCause(ctx, most, ErrTime)
	defer cancel()
	made, err := f(limited)
	switch {
	case err == nil:
		return made, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = ErrTime
	}
	return *new(T), err
}
