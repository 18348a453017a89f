package search

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// StatusArgs are the arguments of get_index_status.
type StatusArgs struct {
	// Path is a file or directory to report on in addition; empty for none.
	Path string `json:"path,omitempty" jsonschema:"description=File or directory; default: everything"`
}

// IndexStatus is the result of get_index_status, combined from all plugins with documents.
type IndexStatus struct {
	// State is the least ready state of all plugins: failed, empty, building, updating or ready.
	State string `json:"state"`
	// Files and Pieces are the numbers of indexed files and pieces.
	Files  int `json:"files"`
	Pieces int `json:"pieces"`
	// Source is the size of the indexed files in bytes; Disk the size of the index.
	Source int64 `json:"sourceBytes"`
	Disk   int64 `json:"indexBytes"`
	// Pending is the number of changed files that are not indexed yet.
	Pending int `json:"pendingFiles"`
	// Done and Total are the progress of a running refresh, in files.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// IndexAge is the time since the last complete check for changes, in seconds: 0 while files are watched, -1 before the
	// first complete check.
	IndexAge float64 `json:"indexAge"`
	// Watching is true if all plugins watch their files.
	Watching bool `json:"watching"`
	// Changed is the time of the last change of an index.
	Changed time.Time `json:"changedAt,omitzero"`
	// Languages are the numbers of files by language.
	Languages map[string]int `json:"languages,omitempty"`
	// Covered are the indexed directories.
	Covered []string `json:"covered,omitempty"`
	// Skipped counts the files that are not indexed, by reason.
	Skipped []plugin.Skipped `json:"skipped,omitempty"`
	// Error is the last error of a plugin's index.
	Error string `json:"error,omitempty"`
	// Plugins is the state of each plugin.
	Plugins []PluginStatus `json:"plugins"`
	// Path is the state of the requested path; nil if none was requested.
	Path *PathStatus `json:"path,omitzero"`
	// Semantic is the state of semantic search; nil if it is disabled.
	Semantic *SemanticStatus `json:"semantic,omitzero"`
}

// PluginStatus is the state of a plugin.
type PluginStatus struct {
	Name string `json:"name"`
	// Kinds are "documents", "issues" or both.
	Kinds []string `json:"kinds"`
	// Healthy is true if the plugin reports no problem and its circuit is closed. Error is the reported problem.
	Healthy bool   `json:"healthy"`
	Error   string `json:"error,omitempty"`
	// Circuit is closed (normal), open (calls are rejected after repeated failures) or half-open (one test call is running).
	Circuit string `json:"circuit"`
	// RetryAt is the time of the next test call; zero unless Circuit is open.
	RetryAt time.Time `json:"retryAt,omitzero"`
}

// PathStatus is the state of a file or directory in the index.
type PathStatus struct {
	Path string `json:"path"`
	// Indexed is true if the file, or a file below the directory, is indexed.
	Indexed bool `json:"indexed"`
	// Files and Pieces are the numbers of indexed files and pieces of the path.
	Files    int    `json:"files"`
	Pieces   int    `json:"pieces"`
	Language string `json:"language,omitempty"`
	// Modified is the modification time of the indexed version of a file.
	Modified time.Time `json:"modifiedAt,omitzero"`
	// Stale is true if the file has changed since it was indexed.
	Stale bool `json:"stale,omitempty"`
	// Note gives the possible reason for a missing file.
	Note string `json:"note,omitempty"`
}

// Plugins returns the state of each plugin, in the order of the options. It makes no network requests.
func (s *Search) Plugins(ctx context.Context) []PluginStatus {
	var all []PluginStatus
	for _, p := range s.options.Plugins {
		status := PluginStatus{Name: p.Name()}
		for _, d := range s.documents {
			if d.name == status.Name {
				status.Kinds = append(status.Kinds, "documents")
				status.circuit(d.guard)
			}
		}
		if s.issues != nil && s.issues.name == status.Name {
			status.Kinds = append(status.Kinds, "issues")
			status.circuit(s.issues.guard)
		}
		if err := p.Health(ctx); err != nil {
			status.Error = truncate.Line(err.Error(), 300)
		}
		status.Healthy = status.Error == "" && status.Circuit == "closed"
		all = append(all, status)
	}
	return all
}

// circuit records the state of a guard, unless a worse one is recorded already.
func (p *PluginStatus) circuit(g *guard) {
	state := g.state().String()
	if p.Circuit == "" || p.Circuit == "closed" {
		p.Circuit = state
		if state == "open" {
			p.RetryAt = g.retryAt().UTC()
		}
	}
}

// IndexStatus implements get_index_status. The errors of a Path are those of package security.
func (s *Search) IndexStatus(ctx context.Context, args StatusArgs) (IndexStatus, error) {
	r := s.status(ctx)
	if args.Path == "" {
		return r, nil
	}
	if len(s.documents) == 0 {
		return IndexStatus{}, noDocumentsError()
	}
	name := s.indexPath(args.Path)
	p, err := s.pathStatus(ctx, name)
	r.Path = &p
	return r, err
}

// readiness orders the states from the least to the most ready.
var readiness = []plugin.State{plugin.Failed, plugin.Empty, plugin.Building, plugin.Updating, plugin.Ready}

// lessReady returns the less ready of two states.
func lessReady(a, b plugin.State) plugin.State {
	if slices.Index(readiness, b) < slices.Index(readiness, a) {
		return b
	}
	return a
}

// indexSum combines the status of several indexes: least ready state, greatest age, sums of the counts.
type indexSum struct {
	state                  plugin.State
	age                    float64 // in seconds; see IndexStatus.IndexAge
	files, pieces, pending int
	skipped                []plugin.Skipped
}

func (t *indexSum) add(status plugin.Status) {
	t.state = lessReady(t.state, status.State)
	t.age = maxAge(t.age, indexAge(status))
	t.files += status.Files
	t.pieces += status.Stats.Pieces
	t.pending += status.Pending
	t.skipped = append(t.skipped, status.Skipped...)
}

// status sums up the plugins with documents.
func (s *Search) status(ctx context.Context) IndexStatus {
	r := IndexStatus{Plugins: s.Plugins(ctx), Watching: len(s.documents) > 0, Languages: map[string]int{}, Semantic: s.semanticStatus()}
	sum := indexSum{state: plugin.Ready}
	if len(s.documents) == 0 {
		sum.state = plugin.Empty
	}
	for _, d := range s.documents {
		status := d.Status()
		sum.add(status)
		r.Source += status.Source
		r.Disk += status.Disk
		r.Done += status.Done
		r.Total += status.Total
		r.Watching = r.Watching && status.Watching
		r.Covered = append(r.Covered, status.Covered...)
		for language, n := range status.Languages {
			r.Languages[language] += n
		}
		if status.Stats.Changed.After(r.Changed) {
			r.Changed = status.Stats.Changed.UTC()
		}
		if r.Error == "" {
			r.Error = truncate.Line(status.Error, 500)
		}
	}
	r.State, r.IndexAge, r.Skipped = string(sum.state), sum.age, sum.skipped
	r.Files, r.Pieces, r.Pending = sum.files, sum.pieces, sum.pending
	return r
}

// indexAge returns the IndexStatus.IndexAge of a plugin.
func indexAge(status plugin.Status) float64 {
	switch {
	case status.Checked.IsZero():
		return -1
	case status.Watching && status.Pending == 0:
		return 0
	}
	return max(time.Since(status.Checked), 0).Round(10 * time.Millisecond).Seconds()
}

// maxAge returns the greater age; -1 (never) is greater than any other.
func maxAge(a, b float64) float64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// indexPath converts a path of the project, absolute or relative, to the form used by indexes: relative, with slashes.
func (s *Search) indexPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if top := strings.ReplaceAll(s.root.Dirs()[0], `\`, "/"); name == top || strings.HasPrefix(name, strings.TrimSuffix(top, "/")+"/") {
		name = strings.TrimPrefix(strings.TrimPrefix(name, top), "/")
	}
	return path.Clean(name)
}

// pathStatus returns the state of a path in all indexes. A missing file is an error unless it is still indexed.
func (s *Search) pathStatus(ctx context.Context, name string) (PathStatus, error) {
	p := PathStatus{Path: name}
	if s.external(name) {
		return s.externalPathStatus(ctx, p)
	}
	info, err := s.root.Stat(ctx, name)
	missing := security.CodeOf(err) == security.FileNotFound
	if err != nil && !missing {
		return p, err
	}
	for _, d := range s.owners(name) {
		if err := s.addPathStatus(ctx, d, &p, err == nil && info.Kind == security.Directory); err != nil {
			return p, err
		}
	}
	switch {
	case missing && p.Indexed:
		p.Stale, p.Note = true, "the file has been deleted"
	case missing:
		return p, err
	case p.Indexed && info.Kind == security.RegularFile:
		p.Stale = !sameTime(info.ModTime, p.Modified)
	case !p.Indexed:
		p.Note = "it is ignored, skipped, or not indexed yet: see skipped and pendingFiles"
	}
	return p, nil
}

// externalPathStatus returns the state of a document, or of the documents below a path, of an external plugin.
func (s *Search) externalPathStatus(ctx context.Context, p PathStatus) (PathStatus, error) {
	for _, d := range s.owners(p.Path) {
		for _, directory := range []bool{false, true} {
			if err := s.addPathStatus(ctx, d, &p, directory); err != nil || p.Indexed {
				return p, err
			}
		}
	}
	p.Note = "there is no such document, or it is skipped or not indexed yet: see skipped and pendingFiles"
	return p, nil
}

// addPathStatus adds the files and pieces of one plugin.
func (s *Search) addPathStatus(ctx context.Context, d *documents, p *PathStatus, directory bool) error {
	_, err := guarded(ctx, d.guard, func(ctx context.Context) (struct{}, error) {
		if !directory {
			known, ok, err := d.Index().Lookup(ctx, p.Path)
			if ok {
				p.add(known)
				if p.Language = known.Language; d.external == nil || known.ModTime.Unix() > 0 {
					p.Modified = known.ModTime
				}
			}
			return struct{}{}, err
		}
		for known, err := range d.Index().Files(ctx) {
			if err != nil {
				return struct{}{}, err
			}
			if p.Path == "." || strings.HasPrefix(known.Path, p.Path+"/") {
				p.add(known)
			}
		}
		return struct{}{}, nil
	})
	return err
}

func (p *PathStatus) add(known index.Known) {
	p.Indexed = true
	p.Files++
	p.Pieces += known.Pieces
}

// TextContent returns one line for each part of the status.
func (r IndexStatus) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "index: %s, %s, %s", r.State, plural.Count(r.Files, "file"), plural.Count(r.Pieces, "piece"))
	if r.Total > 0 {
		fmt.Fprintf(&b, ", %d of %d done", r.Done, r.Total)
	}
	fmt.Fprintf(&b, "\n%s\n", describeAge(r.IndexAge, r.Pending))
	if r.Error != "" {
		b.WriteString("error: " + r.Error + "\n")
	}
	if len(r.Languages) > 0 {
		b.WriteString("languages: " + describeLanguages(r.Languages) + "\n")
	}
	for _, skipped := range r.Skipped {
		b.WriteString("skipped: " + describeSkipped(skipped) + "\n")
	}
	for _, p := range r.Plugins {
		b.WriteString("plugin " + p.Name + ": " + p.describe() + "\n")
	}
	if r.Semantic != nil {
		b.WriteString("semantic: " + r.Semantic.describe() + "\n")
	}
	if p := r.Path; p != nil {
		b.WriteString(p.Path + ": " + p.describe() + "\n")
	}
	return b.String()
}

// describeAge returns the age of an index in words.
func describeAge(age float64, pending int) string {
	text := "up to date"
	switch {
	case age < 0:
		text = "not completely checked yet"
	case age > 0:
		text = "checked " + (time.Duration(age * float64(time.Second))).Round(time.Second).String() + " ago"
	}
	if pending > 0 {
		text += ", " + plural.Count(pending, "file") + " pending"
	}
	return text
}

// describeLanguages lists the twelve languages with the most files.
func describeLanguages(languages map[string]int) string {
	names := slices.SortedFunc(maps.Keys(languages), func(a, b string) int {
		if n := languages[b] - languages[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names[:min(len(names), 12)] {
		parts = append(parts, fmt.Sprintf("%s %d", name, languages[name]))
	}
	return strings.Join(parts, ", ")
}

func describeSkipped(s plugin.Skipped) string {
	text := fmt.Sprintf("%d %s", s.Files, s.Reason)
	if len(s.Examples) > 0 {
		text += " (" + truncate.Line(strings.Join(s.Examples, ", "), 300) + ")"
	}
	return text
}

func (p PluginStatus) describe() string {
	text := "healthy"
	if !p.Healthy {
		text = "not healthy"
	}
	if p.Circuit != "closed" {
		text += ", circuit " + p.Circuit
		if !p.RetryAt.IsZero() {
			text += " until " + p.RetryAt.Format(time.RFC3339)
		}
	}
	if p.Error != "" {
		text += ": " + p.Error
	}
	return text
}

func (p PathStatus) describe() string {
	switch {
	case !p.Indexed:
		return "not indexed; " + p.Note
	case p.Stale:
		return "changed since it was indexed"
	case p.Language == "":
		return plural.Count(p.Files, "file") + ", " + plural.Count(p.Pieces, "piece")
	}
	return "indexed, " + p.Language + ", " + plural.Count(p.Pieces, "piece")
}
