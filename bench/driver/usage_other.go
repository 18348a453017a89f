//go:build !linux

package driver

import (
	"errors"
	"net"
	"time"
)

// cpuTime is known on Linux alone. Without it, costs are wall time.
func cpuTime(int) (time.Duration, error) { return 0, nil }

// memory is known on Linux alone.
func memory(int) (resident, error) { return resident{}, nil }

// openFiles is asked on Linux alone.
func openFiles() (int, error) { return 0, errors.ErrUnsupported }

// hungUp is asked on Linux alone.
func hungUp(net.Conn) bool { return false }
