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
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// StatusArgs are the arguments of get_index_status.
type StatusArgs struct {
	// Path is a file, of which is told whether it is indexed, or a directory.
	Path string `json:"path,omitempty" jsonschema:"description=File or directory; default: everything"`
}

// IndexStatus is what get_index_status answers.
type IndexStatus struct {
	// State is ready, or the least ready one of all plugins: empty, building, updating, failed.
	State string `json:"state"`
	// Files and Pieces are how many are indexed, Source and Disk the bytes of the files and of the index.
	Files  int   `json:"files"`
	Pieces int   `json:"pieces"`
	Source int64 `json:"sourceBytes"`
	Disk   int64 `json:"indexBytes"`
	// Pending is how many files are known to have changed since; Done of Total tell how far a running work has come.
	Pending int `json:"pendingFiles"`
	Done    int `json:"done,omitempty"`
	Total   int `json:"total,omitempty"`
	// IndexAge is for how long nobody has looked for changes, in seconds; 0 while they are noticed at once, -1 if nobody ever has.
	IndexAge  float64          `json:"indexAge"`
	Watching  bool             `json:"watching"`
	Changed   time.Time        `json:"changedAt,omitzero"`
	Languages map[string]int   `json:"languages,omitempty"`
	Covered   []string         `json:"covered,omitempty"`
	Skipped   []plugin.Skipped `json:"skipped,omitempty"`
	Error     string           `json:"error,omitempty"`
	Plugins   []PluginStatus   `json:"plugins"`
	Path      *PathStatus      `json:"path,omitzero"`
	Semantic  *SemanticStatus  `json:"semantic,omitzero"`
}

// PluginStatus tells how a plugin is.
type PluginStatus struct {
	Name string `json:"name"`
	// Kinds are what it has: documents, issues.
	Kinds []string `json:"kinds"`
	// Healthy is false while it says itself that it does not work, for the reason that is Error, or Circuit is not closed.
	Healthy bool   `json:"healthy"`
	Error   string `json:"error,omitempty"`
	// Circuit is closed, open, after many failures, or half-open, while one call tries again. RetryAt is when one may.
	Circuit string    `json:"circuit"`
	RetryAt time.Time `json:"retryAt,omitzero"`
}

// PathStatus tells what is indexed of a path.
type PathStatus struct {
	Path string `json:"path"`
	// Indexed says that the file is, or for a directory that Files below it are.
	Indexed  bool      `json:"indexed"`
	Files    int       `json:"files"`
	Pieces   int       `json:"pieces"`
	Language string    `json:"language,omitempty"`
	Modified time.Time `json:"modifiedAt,omitzero"`
	// Stale says that the file has changed since it was indexed.
	Stale bool `json:"stale,omitempty"`
	// Note says why it is not indexed, as far as that is known.
	Note string `json:"note,omitempty"`
}

// Plugins tells how each plugin is, in order of the options. It asks nobody elsewhere.
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

// circuit notes the state of a guard, unless that of another one is worse.
func (p *PluginStatus) circuit(g *guard) {
	state := g.state().String()
	if p.Circuit == "" || p.Circuit == "closed" {
		p.Circuit = state
		if state == "open" {
			p.RetryAt = g.retryAt().UTC()
		}
	}
}

// IndexStatus is get_index_status.
func (s *Search) IndexStatus(ctx context.Context, args StatusArgs) (IndexStatus, error) {
	r := s.status(ctx)
	if args.Path == "" {
		return r, nil
	}
	if len(s.documents) == 0 {
		return IndexStatus{}, noDocuments()
	}
	name := s.indexPath(args.Path)
	p, err := s.pathStatus(ctx, name)
	r.Path = &p
	return r, err
}

// readiness is the order of the states, that first which says most about what is missing.
var readiness = []plugin.State{plugin.Failed, plugin.Empty, plugin.Building, plugin.Updating, plugin.Ready}

// lessReady is the state of the two that says more about what is missing.
func lessReady(a, b plugin.State) plugin.State {
	if slices.Index(readiness, b) < slices.Index(readiness, a) {
		return b
	}
	return a
}

// indexSum sums up the indexes of several plugins: the least ready state, the greatest age and the counts.
type indexSum struct {
	state                  plugin.State
	age                    float64 // in seconds, as IndexStatus.IndexAge
	files, pieces, pending int
	skipped                []plugin.Skipped
}

func (t *indexSum) add(status plugin.Status) {
	t.state = lessReady(t.state, status.State)
	t.age = older(t.age, age(status))
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

// age is for how long nobody has looked for changes, in seconds; negative if nobody ever has.
func age(status plugin.Status) float64 {
	switch {
	case status.Checked.IsZero():
		return -1
	case status.Watching && status.Pending == 0:
		return 0
	}
	return max(time.Since(status.Checked), 0).Round(10 * time.Millisecond).Seconds()
}

// older is the greater age; never is the greatest.
func older(a, b float64) float64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// indexPath is a path as indexes have it.
func (s *Search) indexPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if top := strings.ReplaceAll(s.root.Dirs()[0], `\`, "/"); name == top || strings.HasPrefix(name, strings.TrimSuffix(top, "/")+"/") {
		name = strings.TrimPrefix(strings.TrimPrefix(name, top), "/")
	}
	return path.Clean(name)
}

func (s *Search) pathStatus(ctx context.Context, name string) (PathStatus, error) {
	p := PathStatus{Path: name}
	info, err := s.root.Stat(ctx, name)
	missing := security.CodeOf(err) == security.FileNotFound
	if err != nil && !missing {
		return p, err
	}
	for _, d := range s.documents {
		if err := s.pathIn(ctx, d, &p, err == nil && info.Kind == security.Directory); err != nil {
			return p, err
		}
	}
	switch {
	case missing && p.Indexed:
		p.Stale, p.Note = true, "the file is not there any more"
	case missing:
		return p, err
	case p.Indexed && info.Kind == security.RegularFile:
		p.Stale = !sameTime(info.ModTime, p.Modified)
	case !p.Indexed:
		p.Note = "it is ignored, skipped, or not indexed yet: see skipped and pendingFiles"
	}
	return p, nil
}

// pathIn adds what one plugin has of a path.
func (s *Search) pathIn(ctx context.Context, d *documents, p *PathStatus, directory bool) error {
	_, err := guarded(ctx, d.guard, func(ctx context.Context) (struct{}, error) {
		if !directory {
			known, ok, err := d.Index().Lookup(ctx, p.Path)
			if ok {
				p.add(known)
				p.Language, p.Modified = known.Language, known.ModTime
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

// TextContent is a line for each thing that is known.
func (r IndexStatus) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "index: %s, %d files, %d pieces", r.State, r.Files, r.Pieces)
	if r.Total > 0 {
		fmt.Fprintf(&b, ", %d of %d done", r.Done, r.Total)
	}
	fmt.Fprintf(&b, "\n%s\n", currency(r.IndexAge, r.Pending))
	if r.Error != "" {
		b.WriteString("error: " + r.Error + "\n")
	}
	if len(r.Languages) > 0 {
		b.WriteString("languages: " + commonest(r.Languages) + "\n")
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

// currency says how current an index is.
func currency(age float64, pending int) string {
	text := "up to date"
	switch {
	case age < 0:
		text = "not looked at completely yet"
	case age > 0:
		text = "looked at " + (time.Duration(age * float64(time.Second))).Round(time.Second).String() + " ago"
	}
	if pending > 0 {
		text += fmt.Sprintf(", %d files pending", pending)
	}
	return text
}

// commonest names the languages with the most files.
func commonest(languages map[string]int) string {
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
		return fmt.Sprintf("%d files, %d pieces", p.Files, p.Pieces)
	}
	return fmt.Sprintf("indexed, %s, %d pieces", p.Language, p.Pieces)
}
