//go:build !unix

package main

import (
	"errors"
	"time"
)

// processorTime is implemented on Unix only.
func processorTime() (time.Duration, error) { return 0, errors.ErrUnsupported }
