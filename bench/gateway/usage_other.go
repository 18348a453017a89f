//go:build !linux

package main

import (
	"errors"
	"time"
)

// descendants is implemented on Linux only.
func descendants(int) ([]int, error) { return nil, errors.ErrUnsupported }

// cpuOf is implemented on Linux only.
func cpuOf([]int) (time.Duration, error) { return 0, errors.ErrUnsupported }
