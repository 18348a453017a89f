package httpserver

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// errCut is returned to who writes to a reply that was cut off.
var errCut = errors.New("the response was given up for a newer one")

// life is what can be done to a reply while somebody is writing to it: its lock
// is never held for long. The zero value is ready.
type life struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
	isCut bool
}

// start has tick called after a while.
func (l *life) start(after time.Duration, tick func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.timer = group.AfterFunc(after, tick)
	}
}

// again has it called again, unless the reply is over.
func (l *life) again(after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && l.timer != nil {
		l.timer.Reset(after)
	}
}

// end is the end of the reply.
func (l *life) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

func (l *life) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// grant gives the client some time to take what is about to be written. Where
// the connection has no deadlines, the server must have its own.
func (l *life) grant(ctl *http.ResponseController, patience time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCut {
		return errCut
	}
	_ = ctl.SetWriteDeadline(time.Now().Add(patience))
	return nil
}

// withdraw is the end of grant. The deadline is not left standing: the
// connection may be used again, and in HTTP/2 it would end a stream that is
// merely quiet.
func (l *life) withdraw(ctl *http.ResponseController) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isCut {
		_ = ctl.SetWriteDeadline(time.Time{})
	}
}

// cut gives the client no more time. Once the reply is over its connection may
// be another's already.
func (l *life) cut(ctl *http.ResponseController) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && !l.isCut {
		l.isCut = true
		_ = ctl.SetWriteDeadline(time.Unix(1, 0))
	}
}
