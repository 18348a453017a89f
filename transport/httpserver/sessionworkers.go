package httpserver

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// idleWorker is how long a goroutine waits for its next call.
const idleWorker = 2 * time.Second

// workers run calls. Goroutines are kept for a while, which saves growing a new
// stack for every call.
type workers struct {
	group *group.Group
	idle  chan *call
	done  <-chan struct{}
}

// start runs a call on a goroutine that waits for one, or on a new one.
func (p *workers) start(c *call) {
	select {
	case p.idle <- c:
	default:
		p.group.Go(func() { p.work(c) })
	}
}

func (p *workers) work(c *call) {
	timer := time.NewTimer(idleWorker)
	defer timer.Stop()
	for {
		c.serve()
		timer.Reset(idleWorker)
		select {
		case c = <-p.idle:
		case <-timer.C:
			return
		case <-p.done:
			return
		}
	}
}
