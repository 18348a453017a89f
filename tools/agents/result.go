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
	maxSummary   = 2 << 10 // longer text loses its end
	maxRawOutput = 8 << 10 // longer output loses its beginning
	maxError     = 4 << 10 // longer text loses its end
)

// findings are the changes and the worktree that were determined at the end of a run.
type findings struct {
	changes          changes
	worktree, branch string
}

// verdicts maps the status of a run to the verdict of its result if the agent has not reported.
var verdicts = map[record.Status]record.Verdict{
	record.Completed: record.Success,
	record.Failed:    record.Failure,
	record.TimedOut:  record.TimeoutEnded,
	record.Cancelled: record.CancelEnded,
}

// resultOf builds the result of an agent that has ended.
func resultOf(agent *record.Agent, e ending, f findings) *record.Result {
	text, said := cmp.Or(e.finalText, agent.LastAssistantMessage), cmp.Or(e.lastMessage, e.finalText, agent.LastAssistantMessage)
	r := record.Result{
		AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model,
		Status: verdicts[e.outcome], StatusSource: record.FromStream, Summary: truncate.Within(said, maxSummary), SummarySource: record.FromStream,
		DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), ToolCallCount: agent.ToolCallCount,
		ErrorMessage: truncate.Within(e.reason, maxError), RawOutput: truncateStart(text, maxRawOutput), Worktree: f.worktree, Branch: f.branch,
		Timestamp: agent.EndedAt,
	}
	all := make(changes, len(f.changes))
	maps.Copy(all, f.changes)
	applyReport(agent, &r, all)
	setFiles(&r, all)
	return &r
}

// applyLateReport returns the result of an ended agent, updated with its report.
func applyLateReport(agent *record.Agent) *record.Result {
	r := record.Result{AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model, Timestamp: agent.EndedAt}
	if agent.Result != nil {
		r = *agent.Result
	}
	all := make(changes)
	for _, c := range r.Changes {
		all[c.Path] = c
	}
	applyReport(agent, &r, all)
	setFiles(&r, all)
	return &r
}

// applyReport adds the agent's own report to a result. The reported status counts only if the run
// completed.
func applyReport(agent *record.Agent, r *record.Result, all changes) {
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

// changes are the changed files of a run, by path.
type changes map[string]record.Change

// sourceWeight ranks the sources of a change: the source with the highest weight determines its
// kind.
var sourceWeight = map[record.Source]int{record.FromReport: 1, record.FromStream: 2, record.FromGit: 3, record.FromFiles: 3}

// add records a change of a file. name is absolute or relative to dir. A later change from the same
// source is combined with the earlier one.
func (cs changes) add(dir, name, kind string, source record.Source) {
	path := relativePath(dir, name)
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
		if c.Kind = combineKinds(c.Kind, kind); c.Kind == "" && len(c.Sources) == 1 {
			delete(cs, path)
			return
		}
	case !slices.ContainsFunc(c.Sources, func(s record.Source) bool { return sourceWeight[s] > sourceWeight[source] }):
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

// combineKinds returns the kind of two successive changes of a file; empty if they cancel each
// other.
func combineKinds(first, second string) string {
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

// setFiles copies changes into a result, up to maxListed bytes of paths. Uncertain changes are not
// among the listed files.
func setFiles(r *record.Result, all changes) {
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

// Limits of the path of a change, and of all paths of a result, in bytes.
const (
	maxPath   = 4 << 10
	maxListed = 128 << 10
)

// relativePath returns the form of a path in records: relative to dir if it lies in dir, with
// slashes. It is empty for invalid paths.
func relativePath(dir, name string) string {
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

// absolutePath is the inverse of relativePath.
func absolutePath(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
