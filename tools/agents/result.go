package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Bounds of a result, in bytes.
const (
	maxSummary   = 2 << 10
	maxRawOutput = 8 << 10
	maxError     = 4 << 10
)

// ending is how a run has ended, and why if it has not completed.
type ending struct {
	outcome record.Status
	why     string
	said    string // its last message
	text    string // what it has said in all, by its own word
	lost    bool   // nobody knows how far it has come
}

// errTimeout is why an agent is ended that has run too long.
var errTimeout = errors.New("its time is over")

// cancellation is why an agent is ended that somebody has cancelled.
type cancellation struct{ reason string }

func (c *cancellation) Error() string {
	if c.reason == "" {
		return "it was cancelled"
	}
	return "it was cancelled: " + c.reason
}

// finish ends a run that has been running, with all that is known of it. Nothing follows the run any more.
func (a *Agents) finish(ctx context.Context, t *track, exit executor.Exit, err error) {
	e := judge(ctx, exit, err)
	e.said, e.text = t.heard.said, t.heard.last
	found := t.w.close(t.heard.changes)
	a.over(t.r, func(agent *record.Agent) error {
		t.copyTo(agent)
		if err := settle(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, found)
		return nil
	})
}

// conclude ends a run that never was running. A worktree that was made for it already is told of.
func (a *Agents) conclude(r *run, e ending) {
	a.over(r, func(agent *record.Agent) error {
		if err := settle(agent, e); err != nil {
			return err
		}
		agent.Result = resultOf(agent, e, a.remains(agent))
		return nil
	})
}

// judge says how a run has ended. What the agent has told of its own end counts before anything else, for programs may go on
// after it, and be ended for that.
func judge(ctx context.Context, exit executor.Exit, err error) ending {
	cause := context.Cause(ctx)
	switch {
	case err == nil && exit.Finished && !exit.Failed:
		return ending{outcome: record.Completed}
	case cause != nil:
		return endingOf(cause)
	case errors.Is(err, errPanic):
		return ending{outcome: record.Failed, why: err.Error()}
	case err != nil:
		return ending{outcome: record.Failed, why: "it could not be started: " + err.Error()}
	case exit.Message != "":
		return ending{outcome: record.Failed, why: exit.Message, lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Cause != nil:
		return ending{outcome: record.Failed, why: exit.Cause.Error(), lost: errors.Is(exit.Cause, executor.ErrLost)}
	case exit.Finished:
		return ending{outcome: record.Failed, why: "it has told of a failure"}
	case exit.Signal != "":
		return ending{outcome: record.Failed, why: "its program was ended by " + exit.Signal}
	case exit.Code != 0:
		return ending{outcome: record.Failed, why: fmt.Sprintf("its program has ended with exit code %d", exit.Code)}
	}
	return ending{outcome: record.Failed, why: "its program has ended without telling a result"}
}

// endingOf is the ending of a run that was ended for a cause.
func endingOf(cause error) ending {
	if errors.Is(cause, errTimeout) {
		return ending{outcome: record.TimedOut, why: cause.Error()}
	}
	return ending{outcome: record.Cancelled, why: cause.Error()}
}

// settle gives an agent its last state.
func settle(agent *record.Agent, e ending) error {
	if err := advance(agent, e.outcome); err != nil {
		return err
	}
	agent.EndedAt, agent.Error, agent.Stalled, agent.Lost = now(), e.why, false, e.lost
	if agent.Report != nil {
		return advance(agent, record.ResultReported)
	}
	return nil
}

// The pauses between attempts to record an end.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// retriable reports whether a change could work at another time.
func retriable(err error) bool {
	return err != nil && !errors.Is(err, errState) && !errors.Is(err, record.ErrNotFound)
}

// over records the end of a run, and tells of it. It is called once a run.
func (a *Agents) over(r *run, change func(*record.Agent) error) {
	agent, event, err := a.change(a.life, r.id, record.AgentCompleted, change)
	for pause := firstPause; retriable(err) && pause < lastPause && wait.For(a.life, pause) == nil; pause *= 2 {
		agent, event, err = a.change(a.life, r.id, record.AgentCompleted, change)
	}
	if err != nil && !errors.Is(err, errState) {
		a.log.Error("the end of an agent was not recorded", slog.String("agent", r.id), slog.Any("error", err))
	}
	a.lease.give(r.id)
	a.revoke(r.id)
	a.mu.Lock()
	delete(a.runs, r.id)
	delete(a.orders, orderer{r.agent.Principal, r.id})
	if r.reserved {
		r.reserved = false
		a.count(r, share{waiting: -1})
	}
	ends := a.ends
	a.ends = make(chan struct{})
	a.mu.Unlock()
	r.cancel(nil)
	if err == nil {
		a.notify(event, agent)
	}
	switch agent.Outcome {
	case record.Completed:
	case record.Cancelled: // stop says the same, whichever comes first
		a.stopBeneath(r.id, wasCancelled)
	default:
		a.stopBeneath(r.id, "has ended as "+string(agent.Outcome))
	}
	close(r.ended)
	close(ends)
}

// notify tells people.
func (a *Agents) notify(e record.Event, agent record.Agent) {
	if a.options.Notify != nil {
		a.options.Notify(e, agent)
	}
}

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
