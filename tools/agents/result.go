package agents

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Bounds of a result, in bytes.
const (
	maxSummary   = 2 << 10
	maxRawOutput = 8 << 10
	maxError     = 4 << 10
)

// found is what was found of what a run has changed.
type found struct {
	changes          changes
	worktree, branch string
}

// verdicts are how results judge runs of which nothing else is known.
var verdicts = map[record.Status]record.Verdict{
	record.Completed: record.Success,
	record.Failed:    record.Failure,
	record.TimedOut:  record.TimeoutEnded,
	record.Cancelled: record.CancelEnded,
}

// resultOf puts together what is known of an agent that has ended.
func resultOf(agent *record.Agent, e ending, f found) *record.Result {
	text, said := cmp.Or(e.text, agent.LastAssistantMessage), cmp.Or(e.said, e.text, agent.LastAssistantMessage)
	r := record.Result{
		AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model,
		Status: verdicts[e.outcome], StatusSource: record.FromStream, Summary: truncate.Within(said, maxSummary), SummarySource: record.FromStream,
		DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), ToolCallCount: agent.ToolCallCount,
		ErrorMessage: truncate.Within(e.why, maxError), RawOutput: lastOf(text, maxRawOutput), Worktree: f.worktree, Branch: f.branch,
		Timestamp: agent.EndedAt,
	}
	all := make(changes, len(f.changes))
	maps.Copy(all, f.changes)
	report(agent, &r, all)
	enter(&r, all)
	return &r
}

// reported is the result of an agent whose report has come after its end.
func reported(agent *record.Agent) *record.Result {
	r := record.Result{AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model, Timestamp: agent.EndedAt}
	if agent.Result != nil {
		r = *agent.Result
	}
	all := make(changes)
	for _, c := range r.Changes {
		all[c.Path] = c
	}
	report(agent, &r, all)
	enter(&r, all)
	return &r
}

// report adds what an agent says of its own work. How the work ended, it says only of work that has completed.
func report(agent *record.Agent, r *record.Result, all changes) {
	said := agent.Report
	if said == nil {
		return
	}
	if agent.Outcome == record.Completed {
		r.Status, r.StatusSource = said.Status, record.FromReport
	}
	if said.Summary != "" {
		r.Summary, r.SummarySource = truncate.Within(said.Summary, maxSummary), record.FromReport
	}
	if said.ErrorMessage != "" && r.ErrorMessage == "" {
		r.ErrorMessage = truncate.Within(said.ErrorMessage, maxError)
	}
	dir := agent.WorkingDirectory
	if r.Worktree != "" {
		dir = r.Worktree
	}
	for _, path := range said.CreatedFiles {
		all.add(dir, path, created, record.FromReport)
	}
	for _, path := range said.EditedFiles {
		all.add(dir, path, edited, record.FromReport)
	}
}

// The kinds of changes.
const (
	created = "created"
	edited  = "edited"
	deleted = "deleted"
)

// changes are what became of files, by path.
type changes map[string]record.Change

// weight is how much a source is believed about the kind of a change.
var weight = map[record.Source]int{record.FromReport: 1, record.FromStream: 2, record.FromGit: 3, record.FromFiles: 3}

// add notes a change of a file, relative to a directory or absolute. The file may have been changed before.
func (cs changes) add(dir, name, kind string, source record.Source) {
	path := relative(dir, name)
	if path == "" || kind != created && kind != edited && kind != deleted {
		return
	}
	c, known := cs[path]
	switch {
	case !known:
		if len(cs) >= maxChanges {
			return
		}
		c = record.Change{Path: path, Kind: kind}
	case slices.Contains(c.Sources, source):
		if c.Kind = sequel(c.Kind, kind); c.Kind == "" && len(c.Sources) == 1 {
			delete(cs, path)
			return
		}
	case !slices.ContainsFunc(c.Sources, func(s record.Source) bool { return weight[s] > weight[source] }):
		c.Kind = kind
	}
	if c.Kind == "" {
		c.Kind = kind
	}
	if !slices.Contains(c.Sources, source) {
		c.Sources = append(slices.Clone(c.Sources), source)
	}
	cs[path] = c
}

// sequel is what two changes of a file, one after the other, are together: nothing if it is as if it never was.
func sequel(first, second string) string {
	switch {
	case first == created && second == deleted:
		return ""
	case first == created:
		return created
	case first == deleted && second == created:
		return edited
	}
	return second
}

// enter puts changes into a result. What may be the work of others is not among the files of an agent.
func enter(r *record.Result, all changes) {
	r.Changes = make([]record.Change, 0, len(all))
	r.EditedFiles, r.CreatedFiles, r.DeletedFiles = []string{}, []string{}, nil
	room := maxListed
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if room -= len(name); room < 0 {
			break
		}
		c := all[name]
		r.Changes = append(r.Changes, c)
		switch {
		case c.Uncertain:
		case c.Kind == created:
			r.CreatedFiles = append(r.CreatedFiles, name)
		case c.Kind == edited:
			r.EditedFiles = append(r.EditedFiles, name)
		case c.Kind == deleted:
			r.DeletedFiles = append(r.DeletedFiles, name)
		}
	}
}

// Bounds of the path of a change, and of all paths in a result, in bytes.
const (
	maxPath   = 4 << 10
	maxListed = 128 << 10
)

// relative is a path as records have it: relative to a directory if it lies in it, with slashes.
func relative(dir, name string) string {
	if name == "" || len(name) > maxPath || strings.ContainsRune(name, 0) {
		return ""
	}
	// On Windows a name with a leading slash is neither absolute nor below dir.
	if !filepath.IsAbs(name) && !strings.HasPrefix(filepath.ToSlash(name), "/") {
		name = filepath.Join(dir, name)
	}
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return path.Clean(filepath.ToSlash(rel))
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// absolute is the opposite of relative.
func absolute(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
