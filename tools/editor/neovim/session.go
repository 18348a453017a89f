package neovim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

const (
	helloTimeout = 3 * time.Second // for Neovim to answer the first calls
)

// session is a connection to one Neovim.
type session struct {
	place   place
	conn    *msgrpc.Conn
	channel int // which Neovim knows the connection by
	version string
	moved   func() // called when folders have changed

	mu      sync.Mutex
	folders []string
	used    time.Time // when the user was seen in it
	marks   map[int]*mark
	heard   chan struct{} // closed at the next news of diagnostics
	last    int           // request of a language server
	waiting map[int]chan<- reply
}

// reply is what a language server says: an answer in JSON, or why there is none.
type reply struct{ trouble, text string }

// connect opens a session. ctx is that of the session, which ends with it.
func connect(ctx context.Context, p place, name string, connections *group.Group, moved func()) (*session, error) {
	first, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	pipe, err := dial(first, p.address)
	if err != nil {
		return nil, err
	}
	s := &session{place: p, moved: func() {}, used: p.since, marks: map[int]*mark{}, heard: make(chan struct{}), waiting: map[int]chan<- reply{}}
	s.conn = msgrpc.New(pipe, s.handle)
	connections.Go(func() { _ = s.conn.Run() })
	if err := s.introduce(first, name); err != nil {
		s.conn.Close()
		return nil, err
	}
	s.mu.Lock()
	s.moved = moved
	s.mu.Unlock()
	return s, nil
}

// introduce finds out who answers, and has it tell what happens.
func (s *session) introduce(ctx context.Context, name string) error {
	var info []msgrpc.Raw // its number for the connection, and a description
	if err := s.conn.Call(ctx, "nvim_get_api_info", nil, &info); err != nil {
		return err
	}
	var description struct {
		Version struct {
			Major int `msgpack:"major"`
			Minor int `msgpack:"minor"`
			Patch int `msgpack:"patch"`
		} `msgpack:"version"`
	}
	if len(info) != 2 || !info[0].Into(&s.channel) || !info[1].Into(&description) {
		return errors.New("what it says of itself is not understood; it may be no Neovim")
	}
	v := description.Version
	if s.version = fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch); v.Major == 0 && v.Minor < 7 {
		return fmt.Errorf("it is version %s, and has to be 0.7 or later", s.version)
	}
	about := map[string]any{"website": "https://github.com/dougu-go/dougu", "pid": fmt.Sprint(os.Getpid())}
	if err := s.conn.Call(ctx, "nvim_set_client_info", []any{name, map[string]any{}, "remote", map[string]any{}, about}, nil); err != nil {
		return err
	}
	var found struct {
		Folders  []string `msgpack:"folders"`
		Buffers  [][]int  `msgpack:"buffers"` // each with its tick
		Embedded bool     `msgpack:"embedded"`
	}
	if err := s.run(ctx, "watch", map[string]any{"channel": s.channel}, &found); err != nil {
		return err
	}
	if found.Embedded && !s.place.given {
		return errors.New("it is part of VS Code")
	}
	for _, b := range found.Buffers {
		if len(b) == 2 {
			s.seen(b[0], b[1])
		}
	}
	return s.learn(found.Folders)
}

// learn takes over the working directories of Neovim.
func (s *session) learn(folders []string) error {
	all, err := presence.Folders(folders)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = all
	return nil
}

func (s *session) state() (folders []string, used time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders, s.used
}

// handle takes what Neovim says by itself. It runs where messages are read, and does not wait.
func (s *session) handle(method string, params []byte) {
	var all []msgrpc.Raw
	var kind string
	if method != "dougu" || msgrpc.Decode(params, &all) != nil || len(all) < 2 || !all[0].Into(&kind) {
		return
	}
	told := all[1:]
	switch {
	case kind == "state":
		var folders []string
		before, _ := s.state()
		if !told[0].Into(&folders) || len(folders) == 0 || s.learn(folders) != nil {
			return
		}
		now, _ := s.state()
		s.mu.Lock()
		s.used = time.Now()
		moved := s.moved
		s.mu.Unlock()
		if !slices.Equal(before, now) {
			moved()
		}
	case kind == "diagnostics" && len(told) == 2:
		var buf, tick int
		if told[0].Into(&buf) && told[1].Into(&tick) {
			s.spoken(buf, tick)
		}
	case kind == "answer" && len(told) == 3:
		var id int
		var r reply
		if told[0].Into(&id) && told[1].Into(&r.trouble) && told[2].Into(&r.text) {
			s.replied(id, r)
		}
	}
}

// refused says what an error of a call means.
func refused(err error) error {
	switch told, ok := errors.AsType[*msgrpc.Error](err); {
	case err == nil:
		return nil
	case ok:
		return fmt.Errorf("Neovim refuses: %s", truncate.Line(told.Message, maxErrorText))
	case errors.Is(err, msgrpc.ErrClosed):
		return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
	}
	return err
}
