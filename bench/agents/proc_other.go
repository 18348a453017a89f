//go:build !linux

package main

import (
	"errors"
	"time"
)

// look cannot count here.
func (h *holding) look(*server) error { return errors.ErrUnsupported }

// childrenTime is not known here.
func childrenTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// over is not known here.
func over(int) bool { return true }
