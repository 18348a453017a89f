package lsp

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Limits of data that is stored for a server.
const (
	maxTokens        = 1000     // of work in progress
	maxRegistrations = 1000     // of methods
	maxPublished     = 20_000   // files with diagnostics
	maxFileItems     = 2_000    // diagnostics of one file
	maxItemsSize     = 64 << 20 // bytes of all diagnostics
	maxCaptured      = 64       // edits that one command sends
)

// state is the data received from a server, and counters of the messages sent to it.
type state struct {
	mu     sync.Mutex
	news   chan struct{} // closed when something changes
	prefix string        // Config.Working

	registered map[string]registration
	active     map[string]Work // work in progress, by token
	works      int             // number of active work on diagnostics
	worked     int             // number of ended work on diagnostics
	ready      bool            // Config.ReadyMessage has come

	published map[string]Published
	size      int // of all items
	sequence  int
	full      bool // something was left out
	versioned bool // a publication stated the version of its document

	documents map[string]*document
	version   int         // the last that a document has got
	sent      int         // number of notifications that change the server's documents
	epoch     int         // counts changes of the project
	held      []FileEvent // that the server was not told

	capturing bool
	captured  []json.RawMessage
}

type progressParams struct {
	Token json.RawMessage `json:"token"`
	Value struct {
		Kind       string   `json:"kind"`
		Title      string   `json:"title"`
		Message    string   `json:"message"`
		Percentage *float64 `json:"percentage"`
	} `json:"value"`
}

// Work is work in progress that a server reports ($/progress).
type Work struct {
	Title   string
	Message string // the present step; may be empty
	// Percentage is at most 100; 0 if the server does not state it.
	Percentage int
}

// update takes the message and the percentage of a report. A report without them leaves the present ones.
func (w *Work) update(p progressParams) {
	if p.Value.Message != "" {
		w.Message = truncate.Cut(p.Value.Message, 100)
	}
	if p.Value.Percentage != nil {
		w.Percentage = int(max(0, min(*p.Value.Percentage, 100)))
	}
}

type registration struct {
	ID      string          `json:"id"`
	Method  string          `json:"method"`
	Options json.RawMessage `json:"registerOptions"`
	watches []watch
}

type registerParams struct {
	Registrations []registration `json:"registrations"`
}

type unregisterParams struct {
	// The protocol has spelled it so since 3.0.
	Unregistrations []registration `json:"unregisterations"`
}

// Published are the diagnostics of a file as the server has told them by itself.
type Published struct {
	Items   []Diagnostic
	Version int // of the document; 0 if the server does not say
	// Sequence grows with everything that is published.
	Sequence int
}

func (s *state) start(c Config) {
	s.news = make(chan struct{})
	s.prefix = c.Working
	s.registered = make(map[string]registration)
	s.active = make(map[string]Work)
	s.published = make(map[string]Published)
	s.documents = make(map[string]*document)
}

// broadcast wakes all goroutines that wait for changes.
func (s *state) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broadcastLocked()
}

func (s *state) broadcastLocked() {
	close(s.news)
	s.news = make(chan struct{})
}

func (s *state) publish(p PublishParams) {
	path, err := Path(p.URI)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.broadcastLocked()
	s.sequence++
	items := p.Diagnostics
	if len(items) > maxFileItems {
		items, s.full = items[:maxFileItems:maxFileItems], true
	}
	old, known := s.published[path]
	s.size += weight(items) - weight(old.Items)
	if s.size > maxItemsSize || !known && len(s.published) >= maxPublished {
		s.size -= weight(items)
		delete(s.published, path)
		s.full = true
		return
	}
	version := 0
	if p.Version != nil {
		version = *p.Version
		s.versioned = true
	}
	if _, open := s.documents[path]; len(items) == 0 && !open {
		delete(s.published, path) // nothing is wrong there
		return
	}
	s.published[path] = Published{items, version, s.sequence}
}

func weight(items []Diagnostic) int {
	n := 0
	for _, d := range items {
		n += 200 + len(d.Raw) + len(d.Message)
	}
	return n
}

func (s *state) progress(p progressParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := string(p.Token)
	work, known := s.active[token]
	switch p.Value.Kind {
	case "begin":
		if known || len(s.active) >= maxTokens || len(token) > 200 {
			return
		}
		work.Title = truncate.Cut(p.Value.Title, 100)
		work.update(p)
		s.active[token] = work
		if s.isWork(p.Value.Title) {
			s.works++
		}
	case "report":
		if !known {
			return
		}
		work.update(p)
		s.active[token] = work
	case "end":
		if !known {
			return
		}
		delete(s.active, token)
		if s.isWork(work.Title) {
			s.works--
			s.worked++
		}
	default:
		return
	}
	s.broadcastLocked()
}

func (s *state) isWork(title string) bool {
	return s.prefix != "" && strings.HasPrefix(title, s.prefix)
}

func (s *state) register(all []registration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all {
		if len(s.registered) >= maxRegistrations {
			return
		}
		if r.Method == "workspace/didChangeWatchedFiles" {
			r.watches = parseWatches(r.Options)
		}
		s.registered[r.ID] = r
	}
	s.broadcastLocked()
}

func (s *state) unregister(all []registration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all {
		delete(s.registered, r.ID)
	}
}

// capture keeps the edit of a command that runs; false if none does.
func (s *state) capture(edit json.RawMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.capturing || len(s.captured) >= maxCaptured {
		return false
	}
	s.captured = append(s.captured, edit)
	return true
}

// Offers reports whether the server supports a method, and returns its options.
func (s *Session) Offers(method string) (options json.RawMessage, ok bool) {
	if options, ok = s.offers.options(method); ok {
		return options, true
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for _, r := range s.state.registered {
		if r.Method == method {
			return r.Options, true
		}
	}
	return nil, false
}

func (s *state) setReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	s.broadcastLocked()
}

// Ready reports whether the server knows the files of its folder. It is true without Config.ReadyMessage.
func (s *Session) Ready() bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.ready || s.c.ReadyMessage == nil
}

// News is closed at the next thing that the server says, or when it is gone.
func (s *Session) News() <-chan struct{} {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.news
}

// Busy answers the titles of work that the server says it is doing, but for finding out diagnostics.
func (s *Session) Busy() []string {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	var titles []string
	for _, work := range s.state.active {
		if !s.state.isWork(work.Title) {
			titles = append(titles, work.Title)
		}
	}
	slices.Sort(titles)
	return titles
}

// Work returns the work in progress that the server reports, ordered by title.
func (s *Session) Work() []Work {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.state.active), func(a, b Work) int {
		return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Percentage, b.Percentage))
	})
}

// Settled reports whether a server with Config.Working has published all diagnostics: it has ended the work of its start and of
// every change.
func (s *Session) Settled() bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.prefix != "" && s.state.works == 0 && s.state.worked > s.state.sent
}

// Working tells whether the server finds out diagnostics now, as far as it says so.
func (s *Session) Working() bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.works > 0
}

// Published answers the diagnostics of a file that the server has told by itself.
func (s *Session) Published(path string) (Published, bool) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	p, ok := s.state.published[path]
	return p, ok
}

// StatesVersions reports whether the server has published diagnostics with the version of a document.
func (s *Session) StatesVersions() bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.versioned
}

// AllPublished returns the diagnostics of all files, and whether some were dropped.
func (s *Session) AllPublished() (all map[string]Published, incomplete bool) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return maps.Clone(s.state.published), s.state.full
}
