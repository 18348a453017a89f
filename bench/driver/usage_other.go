//go:build !linux

package driver

import (
	"errors"
	"net"
	"time"
)

// cpuTime is implemented on Linux only. Without it, costs are wall time.
func cpuTime(int) (time.Duration, error) { return 0, nil }

// memory is implemented on Linux only.
func memory(int) (resident, error) { return resident{}, nil }

// openFiles is used on Linux only.
func openFiles() (int, error) { return 0, errors.ErrUnsupported }

// hungUp is used on Linux only.
func hungUp(net.Conn) bool { return false }
