package treesitter

import (
	"context"
	"time"
)

// limits bounds the resources of one text and of the parser.
type limits struct {
	pages   uint32 // of 64 KiB: the linear memory of an instance
	keep    int    // the linear memory in bytes beyond which an instance is not used again
	keepAll int    // bytes that all idle grammars and instances may hold together

	// A text may spend this time in the grammar, and the same time again until it is a File. The
	// limit is a multiple of the time needed on a busy machine.
	least, perByte, most time.Duration
}

// usual are the limits of a Parser that New makes.
func usual() limits {
	return limits{
		pages: 256 << 20 >> 16, keep: 64 << 20, keepAll: 200 << 20,
		least: 2 * time.Second, perByte: 10 * time.Microsecond, most: 20 * time.Second,
	}
}

// time returns the time limit of a text of n bytes.
func (l limits) time(n int) time.Duration {
	return min(l.most, l.least+time.Duration(n)*l.perByte)
}

// within calls f with a context that ends when the time is over. The error is
// that of ctx if it has ended, ErrTime if the time is over, and otherwise that of
// f.
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
