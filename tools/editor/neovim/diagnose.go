package neovim

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

const (
	maxItems       = 10_000           // diagnostics of an answer
	maxMessage     = 4 << 10          // the text of a diagnostic, in bytes
	maxName        = 300              // a title, a code, who says it
	defaultWait    = 10 * time.Second // for diagnostics, of a context without an end
	longestWait    = 45 * time.Second
	lookEvery      = 200 * time.Millisecond // at diagnostics that are not fresh
	debounce       = 150 * time.Millisecond // after which Neovim tells language servers of a change
	quiet          = 200 * time.Millisecond // that language servers are silent after they have spoken of a document
	longQuiet      = time.Second            // the same if they may have spoken of the text before
	settled        = 10 * time.Second       // after which a document that nobody has changed has all its diagnostics
	maxNamed       = 1000                   // files in one question
	maxMarks       = 10_000                 // buffers of which it is known when they changed
	cancelPatience = 2 * time.Second
)

// mark is what is known about the diagnostics of a buffer.
type mark struct {
	tick     int       // that was seen last
	since    time.Time // when it was seen first
	spoken   int       // the tick at which diagnostics have come last
	spokenAt time.Time
}

// spoken notes that diagnostics have come for a buffer at a tick.
func (s *session) spoken(buf, tick int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.mark(buf)
	m.spoken, m.spokenAt = tick, time.Now()
	close(s.heard)
	s.heard = make(chan struct{})
}

// mark is that of a buffer. The session is locked.
func (s *session) mark(buf int) *mark {
	m := s.marks[buf]
	if m == nil {
		if len(s.marks) >= maxMarks {
			clear(s.marks)
		}
		m = &mark{}
		s.marks[buf] = m
	}
	return m
}

// seen notes at which tick a buffer is, and tells whether its diagnostics are those of its text. What comes at once after a change is
// about the text before: Neovim does not tell language servers of each key.
func (s *session) seen(buf, tick int) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, now := s.mark(buf), time.Now()
	if m.tick != tick {
		m.tick, m.since = tick, now
	}
	silence := now.Sub(m.spokenAt)
	switch {
	case now.Sub(m.since) >= settled:
		return true
	case m.spoken != tick:
		return false
	case m.spokenAt.Sub(m.since) >= debounce:
		return silence >= quiet
	}
	return silence >= longQuiet
}

// diagnostic is one as Neovim has it, from 0.
type diagnostic struct {
	Path     string `msgpack:"path"`
	Loaded   bool   `msgpack:"loaded"` // the columns are UTF-16 code units, else bytes
	Row      int    `msgpack:"row"`
	Column   int    `msgpack:"column"`
	Last     int    `msgpack:"last"`
	Stop     int    `msgpack:"stop"`
	Severity int    `msgpack:"severity"`
	Message  string `msgpack:"message"`
	Code     string `msgpack:"code"`
	Source   string `msgpack:"source"`
	Client   int    `msgpack:"client"` // that has said it; 0 is not known
	LSP      string `msgpack:"lsp"`    // what else the language server said, in JSON
}

// findings are an answer to "diagnostics".
type findings struct {
	Items   []diagnostic `msgpack:"items"`
	More    bool         `msgpack:"more"`
	Clients int          `msgpack:"clients"`
	Covered []struct {
		Path string `msgpack:"path"`
		Buf  int    `msgpack:"buf"`
		Tick int    `msgpack:"tick"`
	} `msgpack:"covered"`
}

// Diagnose answers what Neovim knows of files that have a buffer with a language server. Where no file is named, it is what is known of
// all buffers, which is never called fresh.
func (n *Neovim) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	out := adapter.Diagnostics{Covered: []string{}}
	fail := func(err error) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Covered: []string{}}, fmt.Errorf("asking Neovim for diagnostics: %w", err)
	}
	if len(paths) > maxNamed {
		return fail(fmt.Errorf("%d files are more than %d", len(paths), maxNamed))
	}
	sessions := n.connected()
	if len(sessions) == 0 {
		n.lookout.Look(ctx)
		sessions = n.connected()
	}
	if len(sessions) == 0 {
		return fail(adapter.ErrNotRunning)
	}
	until := time.Now().Add(patience(ctx))
	out.Fresh = len(paths) > 0
	servers := 0
	for _, s := range sessions {
		mine := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return n.covers(s, p) < 0 || slices.Contains(out.Covered, p) })
		if len(mine) == 0 && len(paths) > 0 {
			continue
		}
		found, fresh, err := s.diagnose(ctx, mine, until)
		if err != nil {
			return fail(err)
		}
		servers += found.Clients
		out.Fresh = out.Fresh && fresh
		if err := s.add(ctx, &out, found, mine); err != nil {
			return fail(err)
		}
	}
	if servers == 0 {
		return fail(fmt.Errorf("no language server there knows the files: %w", adapter.ErrUnsupported))
	}
	if len(paths) == 0 {
		out.Covered = nil
		out.Notes = append(out.Notes, "only files were looked at that Neovim has open, or that its language servers spoke of")
	}
	return out, nil
}

// patience is how long Neovim may wait for diagnostics, so that the answer comes before ctx ends.
func patience(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return defaultWait
	}
	left := time.Until(end)
	return min(max(left-min(400*time.Millisecond, left/3), 0), longestWait)
}

// diagnose asks until the answer is fresh, or the time has come. The last answer is better than none.
func (s *session) diagnose(ctx context.Context, paths []string, until time.Time) (found findings, fresh bool, err error) {
	timer := time.NewTicker(lookEvery)
	defer timer.Stop()
	if paths == nil {
		paths = []string{}
	}
	for first := true; ; first = false {
		s.mu.Lock()
		heard := s.heard
		s.mu.Unlock()
		var now findings
		if err := s.run(ctx, "diagnostics", map[string]any{"paths": paths, "max": maxItems}, &now); err != nil {
			if first || ctx.Err() == nil || errors.Is(err, adapter.ErrNotRunning) {
				return found, false, err
			}
			return found, false, nil
		}
		found, fresh = now, true
		for _, c := range found.Covered {
			fresh = s.seen(c.Buf, c.Tick) && fresh
		}
		if fresh || !time.Now().Before(until) {
			return found, fresh, nil
		}
		select {
		case <-heard:
		case <-timer.C:
		case <-ctx.Done():
			return found, false, nil
		}
	}
}

// add adds an answer to others. asked are the files that it is of; of others it says nothing.
func (s *session) add(ctx context.Context, out *adapter.Diagnostics, found findings, asked []string) error {
	for _, c := range found.Covered {
		if slices.Contains(asked, c.Path) {
			out.Covered = append(out.Covered, c.Path)
		}
	}
	t := relay.NewTexts(peer{s}, "utf-8")
	for _, item := range found.Items {
		if len(asked) > 0 && !slices.Contains(asked, item.Path) || !presence.IsPath(item.Path) {
			continue
		}
		if found.More = found.More || len(out.Items) == maxItems; len(out.Items) == maxItems {
			break
		}
		d, err := item.as(ctx, t)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, d)
	}
	if found.More {
		out.Notes = append(out.Notes, "further diagnostics were left out")
	}
	return nil
}

func (d diagnostic) as(ctx context.Context, t *relay.Texts) (adapter.Diagnostic, error) {
	path := filepath.Clean(d.Path)
	start, err := buffer.Point{d.Row, d.Column}.Position()
	if err != nil {
		return adapter.Diagnostic{}, err
	}
	end, err := buffer.Point{d.Last, d.Stop}.Position()
	if err != nil {
		return adapter.Diagnostic{}, err
	}
	if !d.Loaded {
		if text, err := t.Text(ctx, path); err == nil {
			start.Column = relay.Columns16(text.Line(start.Line), d.Column, "utf-8") + 1
			end.Column = relay.Columns16(text.Line(end.Line), d.Stop, "utf-8") + 1
		}
	}
	if end.Before(start) {
		end = start
	}
	return adapter.Diagnostic{
		Path: path, Range: adapter.Range{Start: start, End: end}, Severity: adapter.SeverityOf(d.Severity),
		Message: truncate.Cut(d.Message, maxMessage), Code: truncate.Line(d.Code, maxName), Source: truncate.Line(d.Source, maxName),
	}, nil
}
