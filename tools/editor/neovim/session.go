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
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

// helloPause is the delay between attempts to subscribe to notifications, while Neovim is busy or waits for a key.
const helloPause = time.Second

// session is a connection to one Neovim. Its methods may be called concurrently.
type session struct {
	endpoint       endpoint
	pid            int // process of Neovim; 0 if not known
	conn           *msgrpc.Conn
	channel        int // number of the channel in Neovim
	version        string
	foldersChanged func() // called after a change of folders
	texts          texts

	mu          sync.Mutex
	folders     []string
	unsaved     []string  // paths of the documents with unsaved text, as listed last
	lastUsed    time.Time // last activity of the user
	marks       map[int]*diagnosticsState
	reported    chan struct{} // closed at the next report of diagnostics
	lastRequest int           // id of the last request to a language server
	waiting     map[int]chan<- reply
}

// reply is the response of a language server: JSON text, or the reason for its failure.
type reply struct{ failure, text string }

// connect opens a session, which lasts until Close or the connection ends. It waits for the answers of Neovim without a limit: a
// stopped process, whose socket accepts connections, answers when it continues.
func (n *Neovim) connect(p endpoint, connections *group.Group) (*session, error) {
	ctx := n.ctx
	pipe, err := dial(ctx, p.address)
	if err != nil {
		return nil, err
	}
	pid := local.PeerPID(pipe)
	n.connections.Dialed(p.address, pid)
	s := &session{endpoint: p, pid: pid, foldersChanged: func() {}, lastUsed: p.since, marks: map[int]*diagnosticsState{}, reported: make(chan struct{}), waiting: map[int]chan<- reply{}}
	s.conn = msgrpc.New(pipe, s.handle)
	connections.Go(func() { _ = s.conn.Run() })
	stop := context.AfterFunc(ctx, s.conn.Close)
	defer stop()
	if err := s.introduce(ctx, n.options.Name); err != nil {
		s.conn.Close()
		return nil, err
	}
	s.mu.Lock()
	s.foldersChanged = n.announcer.Announce
	s.mu.Unlock()
	return s, nil
}

// introduce checks the version of Neovim, names this client, and subscribes to notifications.
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
	if len(info) != 2 || !info[0].DecodeInto(&s.channel) || !info[1].DecodeInto(&description) {
		return errors.New("its API description cannot be decoded; it may not be Neovim")
	}
	v := description.Version
	if s.version = fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch); v.Major == 0 && v.Minor < 7 {
		return fmt.Errorf("version %s is not supported; 0.7 or later is required", s.version)
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
	for {
		err := s.run(ctx, "watch", map[string]any{"channel": s.channel}, &found)
		if err == nil {
			break
		}
		if _, temporary := errors.AsType[notReadyError](err); !temporary {
			return err
		}
		if err := wait.Sleep(ctx, helloPause); err != nil {
			return err
		}
	}
	if found.Embedded && !s.endpoint.given {
		return errors.New("it is embedded in VS Code")
	}
	for _, b := range found.Buffers {
		if len(b) == 2 {
			s.recordTick(b[0], b[1])
		}
	}
	return s.setFolders(found.Folders)
}

// setFolders stores the working directories of Neovim.
func (s *session) setFolders(folders []string) error {
	all, err := presence.Folders(folders)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = all
	return nil
}

// state returns the working directories and the time of the user's last activity.
func (s *session) state() (folders []string, used time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders, s.lastUsed
}

// handle processes a notification. It runs on the reader's goroutine and does not block.
func (s *session) handle(method string, params []byte) {
	var all []msgrpc.Raw
	var kind string
	if method != "dougu" || msgrpc.Decode(params, &all) != nil || len(all) < 2 || !all[0].DecodeInto(&kind) {
		return
	}
	told := all[1:]
	switch {
	case kind == "state":
		var folders []string
		before, _ := s.state()
		if !told[0].DecodeInto(&folders) || len(folders) == 0 || s.setFolders(folders) != nil {
			return
		}
		now, _ := s.state()
		s.mu.Lock()
		s.lastUsed = time.Now()
		moved := s.foldersChanged
		s.mu.Unlock()
		if !slices.Equal(before, now) {
			moved()
		}
	case kind == "diagnostics" && len(told) == 2:
		var buf, tick int
		if told[0].DecodeInto(&buf) && told[1].DecodeInto(&tick) {
			s.recordReport(buf, tick)
		}
	case kind == "answer" && len(told) == 3:
		var id int
		var r reply
		if told[0].DecodeInto(&id) && told[1].DecodeInto(&r.failure) && told[2].DecodeInto(&r.text) {
			s.deliver(id, r)
		}
	}
}

// callError converts the error of a call. A closed connection is adapter.ErrNotRunning.
func callError(err error) error {
	switch told, ok := errors.AsType[*msgrpc.Error](err); {
	case err == nil:
		return nil
	case ok:
		return fmt.Errorf("Neovim returned an error: %s", truncate.Line(told.Message, maxErrorText))
	case errors.Is(err, msgrpc.ErrClosed):
		return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
	}
	return err
}
