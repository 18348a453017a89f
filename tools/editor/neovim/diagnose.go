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

// Limits and delays of diagnostics.
const (
	maxItems        = 10_000                 // diagnostics in a result
	maxMessage      = 4 << 10                // bytes of a diagnostic's message
	maxName         = 300                    // bytes of a title, a code or a source
	defaultWait     = 10 * time.Second       // wait for fresh diagnostics, if the context has no deadline
	maxWait         = 45 * time.Second       // longest wait for fresh diagnostics
	pollInterval    = 200 * time.Millisecond // interval of requests until diagnostics are fresh
	debounce        = 150 * time.Millisecond // delay after which Neovim notifies language servers of a change
	quietPeriod     = 200 * time.Millisecond // silence of language servers after which their report is complete
	longQuietPeriod = time.Second            // the same, if the report may be about the previous text
	settledAge      = 10 * time.Second       // age of a text after which its diagnostics are considered complete
	maxPaths        = 1000                   // files in one request
	maxMarks        = 10_000                 // buffers whose marks are kept
	// cancelTimeout limits the notification that cancels a request.
	cancelTimeout = 2 * time.Second
)

// diagnosticsState is the state of a buffer's diagnostics.
type diagnosticsState struct {
	tick         int       // last known changedtick
	since        time.Time // time at which tick was first seen
	reportedTick int       // tick of the last report of diagnostics
	reportedAt   time.Time
}

// recordReport records that diagnostics were reported for a buffer at a tick.
func (s *session) recordReport(buf, tick int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.mark(buf)
	m.reportedTick, m.reportedAt = tick, time.Now()
	close(s.reported)
	s.reported = make(chan struct{})
}

// mark returns the diagnostics state of a buffer, and creates it if necessary. s.mu must be locked.
func (s *session) mark(buf int) *diagnosticsState {
	m := s.marks[buf]
	if m == nil {
		if len(s.marks) >= maxMarks {
			clear(s.marks)
		}
		m = &diagnosticsState{}
		s.marks[buf] = m
	}
	return m
}

// recordTick records the tick of a buffer and reports whether its diagnostics are for the current text. A report soon after a change may
// be about the previous text, because Neovim delays its notifications to language servers.
func (s *session) recordTick(buf, tick int) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, now := s.mark(buf), time.Now()
	if m.tick != tick {
		m.tick, m.since = tick, now
	}
	silence := now.Sub(m.reportedAt)
	switch {
	case now.Sub(m.since) >= settledAge:
		return true
	case m.reportedTick != tick:
		return false
	case m.reportedAt.Sub(m.since) >= debounce:
		return silence >= quietPeriod
	}
	return silence >= longQuietPeriod
}

// diagnostic is a diagnostic of vim.diagnostic. Rows and columns count from 0.
type diagnostic struct {
	Path     string `msgpack:"path"`
	Loaded   bool   `msgpack:"loaded"` // columns are UTF-16 code units; otherwise bytes
	Row      int    `msgpack:"row"`
	Column   int    `msgpack:"column"`
	Last     int    `msgpack:"last"`
	Stop     int    `msgpack:"stop"`
	Severity int    `msgpack:"severity"`
	Message  string `msgpack:"message"`
	Code     string `msgpack:"code"`
	Source   string `msgpack:"source"`
	Client   int    `msgpack:"client"` // number of the language server; 0 if unknown
	LSP      string `msgpack:"lsp"`    // JSON of the language server's original diagnostic
}

// findings are the result of lua/diagnostics.lua.
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

// Diagnose returns the diagnostics of files that have a buffer with a language server. It waits until they are fresh, at most until
// shortly before ctx ends. Without paths it returns the diagnostics of all buffers, which are never fresh.
func (n *Neovim) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	out := adapter.Diagnostics{Covered: []string{}}
	fail := func(err error) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Covered: []string{}}, fmt.Errorf("asking Neovim for diagnostics: %w", err)
	}
	if len(paths) > maxPaths {
		return fail(fmt.Errorf("%d files are more than %d", len(paths), maxPaths))
	}
	sessions := n.connected()
	if len(sessions) == 0 {
		n.refresh(ctx)
		sessions = n.connected()
	}
	if len(sessions) == 0 {
		return fail(adapter.ErrNotRunning)
	}
	until := time.Now().Add(diagnosticsWait(ctx))
	out.Fresh = len(paths) > 0
	servers := 0
	for _, s := range sessions {
		mine := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return n.coverage(s, p) < 0 || slices.Contains(out.Covered, p) })
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
		return fail(fmt.Errorf("no language server is attached to the files: %w", adapter.ErrUnsupported))
	}
	if len(paths) == 0 {
		out.Covered = nil
		out.Notes = append(out.Notes, "only files were checked that are open in Neovim or that its language servers reported on")
	}
	return out, nil
}

// diagnosticsWait returns the time to wait for diagnostics, so that the result is returned before ctx ends.
func diagnosticsWait(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return defaultWait
	}
	left := time.Until(end)
	return min(max(left-min(400*time.Millisecond, left/3), 0), maxWait)
}

// diagnose repeats the request until the result is fresh or until has passed. After the first success it returns the last result
// instead of an error.
func (s *session) diagnose(ctx context.Context, paths []string, until time.Time) (found findings, fresh bool, err error) {
	timer := time.NewTicker(pollInterval)
	defer timer.Stop()
	if paths == nil {
		paths = []string{}
	}
	for first := true; ; first = false {
		s.mu.Lock()
		heard := s.reported
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
			fresh = s.recordTick(c.Buf, c.Tick) && fresh
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

// add appends the diagnostics of the asked files to out; all if asked is empty.
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
		d, err := item.convert(ctx, t)
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

func (d diagnostic) convert(ctx context.Context, t *relay.Texts) (adapter.Diagnostic, error) {
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
