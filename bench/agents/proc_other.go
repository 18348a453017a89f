//go:build !linux

package main

import (
	"errors"
	"time"
)

// look is implemented on Linux only.
func (h *holding) look(*server) error { return errors.ErrUnsupported }

// childrenTime is implemented on Linux only.
func childrenTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// over is implemented on Linux only.
func over(int) bool { return true }
