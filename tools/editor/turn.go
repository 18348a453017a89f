package editor

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// turns let those who change the same thing wait for each other.
type turns struct {
	mu   sync.Mutex
	busy map[string]*turn
}

// turn is held by one, and wanted by some.
type turn struct {
	held   chan struct{}
	wanted int
}

// everything is what all changes of documents in editors want: editors are given one after another.
const everything = ""

// take waits for the turn to change a file, or everything that editors have open. Files on the disk have locks of their own,
// so that nothing is lost, but those who wait here need not work their change out again.
func (e *Editor) take(ctx context.Context, path string) (release func(), err error) {
	key := filepath.Clean(path)
	if has[adapter.Buffers](e) {
		key = everything
	} else if path == everything {
		return func() {}, nil
	}
	t := e.turns.want(key)
	select {
	case t.held <- struct{}{}:
		var once sync.Once
		return func() {
			once.Do(func() {
				<-t.held
				e.turns.leave(key, t)
			})
		}, nil
	case <-ctx.Done():
		e.turns.leave(key, t)
		return nil, &security.Error{Code: security.CodeOf(ctx.Err()), Message: "Another change has not ended yet.", Next: "Call again.", Err: ctx.Err()}
	}
}

func (s *turns) want(key string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.busy[key]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		if s.busy == nil {
			s.busy = make(map[string]*turn)
		}
		s.busy[key] = t
	}
	t.wanted++
	return t
}

func (s *turns) leave(key string, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.wanted--; t.wanted == 0 {
		delete(s.busy, key)
	}
}
