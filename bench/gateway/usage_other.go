//go:build !linux

package main

import (
	"errors"
	"time"
)

// descendants cannot be found here.
func descendants(int) ([]int, error) { return nil, errors.ErrUnsupported }

// cpuOf is not known here.
func cpuOf([]int) (time.Duration, error) { return 0, errors.ErrUnsupported }
