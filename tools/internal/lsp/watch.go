package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// FileChange is the kind of change of a file on the disk.
type FileChange int

// Kinds of changes, with the numbers of the protocol.
const (
	FileCreated FileChange = iota + 1
	FileChanged
	FileDeleted
)

// watch is a pattern of files of which a server wants to know.
type watch struct {
	pattern string // with slashes; "" matches everything
	kinds   int    // bits: 1 created, 2 changed, 4 deleted
}

// Limits of patterns. Patterns over the limits match all files, which costs only the server.
const (
	maxWatches = 200
	maxPattern = 2000
	maxStars   = 12
	maxBraces  = 3
)

func parseWatches(raw json.RawMessage) []watch {
	var options struct {
		Watchers []struct {
			Pattern json.RawMessage `json:"globPattern"`
			Kind    *int            `json:"kind"`
		} `json:"watchers"`
	}
	if json.Unmarshal(raw, &options) != nil || len(options.Watchers) > maxWatches {
		return []watch{{kinds: 7}}
	}
	all := make([]watch, 0, len(options.Watchers))
	for _, w := range options.Watchers {
		one := watch{kinds: 7}
		if w.Kind != nil {
			one.kinds = *w.Kind
		}
		one.pattern = bounded(watchPattern(w.Pattern))
		all = append(all, one)
	}
	return all
}

// watchPattern answers a pattern for absolute paths; it may be of the form "base and relative pattern".
func watchPattern(raw json.RawMessage) string {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain
	}
	var relative struct {
		Base    json.RawMessage `json:"baseUri"` // a URI, or a folder with one
		Pattern string          `json:"pattern"`
	}
	if json.Unmarshal(raw, &relative) != nil {
		return ""
	}
	uri := scalar(relative.Base)
	if uri == "" {
		uri = option[string](relative.Base, "uri")
	}
	base, err := Path(uri)
	if err != nil {
		return ""
	}
	return escapeGlob(filepath.ToSlash(base)) + "/" + relative.Pattern
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(path)
}

func bounded(pattern string) string {
	if len(pattern) > maxPattern || strings.Count(pattern, "*") > maxStars || strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return ""
	}
	return pattern
}

func (w watch) matches(path, rel string, change FileChange) bool {
	if w.kinds&(1<<(change-1)) == 0 {
		return false
	}
	if w.pattern == "" {
		return true
	}
	return doublestar.MatchUnvalidated(w.pattern, path) || rel != "" && doublestar.MatchUnvalidated(w.pattern, rel)
}

// FileEvent is a change of a file.
type FileEvent struct {
	Path   string
	Change FileChange
}

// maxHeld is the number of changes that wait until a server registers its watches.
const maxHeld = 2_000

// FilesChanged sends the changes that match the server's watches. Servers register watches some time after their start. Until
// then changes wait for the next call, which may have no events.
func (s *Session) FilesChanged(events []FileEvent) error {
	type event struct {
		URI  string     `json:"uri"`
		Type FileChange `json:"type"`
	}
	var wanted []event
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	if len(events) > 0 {
		s.state.epoch++
	}
	events = append(s.state.held, events...)
	s.state.held = nil
	if !s.state.watches() {
		s.state.held = slices.Clone(events[max(len(events)-maxHeld, 0):])
		return nil
	}
	for _, e := range events {
		rel, err := filepath.Rel(s.c.Dir, e.Path)
		if err != nil || strings.HasPrefix(rel, "..") {
			rel = ""
		}
		if s.state.watched(filepath.ToSlash(e.Path), filepath.ToSlash(rel), e.Change) {
			wanted = append(wanted, event{URI(e.Path), e.Change})
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	s.state.sent++
	return s.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": wanted})
}

// watches reports whether the server has registered watches.
func (s *state) watches() bool {
	for _, r := range s.registered {
		if len(r.watches) > 0 {
			return true
		}
	}
	return false
}

func (s *state) watched(path, rel string, change FileChange) bool {
	for _, r := range s.registered {
		for _, w := range r.watches {
			if w.matches(path, rel, change) {
				return true
			}
		}
	}
	return false
}
