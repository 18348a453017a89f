package unity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// RunTestsArgs are the arguments of run_tests. All filters must match.
type RunTestsArgs struct {
	// Mode is where the tests run.
	Mode string `json:"mode,omitempty" jsonschema:"enum=EditMode,enum=PlayMode,default=EditMode"`
	// Tests are full names of tests.
	Tests []string `json:"tests,omitempty" jsonschema:"maxItems=200,description=Full names"`
	// Groups are regular expressions of full names, as .NET has them.
	Groups []string `json:"groups,omitempty" jsonschema:"maxItems=50,description=Regexes of full names"`
	// Categories are NUnit categories.
	Categories []string `json:"categories,omitempty" jsonschema:"maxItems=50"`
	Assemblies []string `json:"assemblies,omitempty" jsonschema:"maxItems=50"`
	// JobID waits for a run that has begun, instead of beginning one.
	JobID string `json:"jobId,omitempty" jsonschema:"maxLength=100,description=Wait for this run"`
	// WaitMs is how long to wait for the run, which goes on after that.
	WaitMs  *int   `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=45000,default=40000"`
	Project string `json:"project,omitempty" jsonschema:"description=Directory or name\\, if Unity has several open"`
}

// RunTestsResult is the result of run_tests.
type RunTestsResult struct {
	Project string `json:"project"`
	JobID   string `json:"jobId"`
	// Status is "running", "passed", "failed", or "error" where the run itself came to nothing.
	Status    string `json:"status"`
	Mode      string `json:"mode,omitempty"`
	Completed int    `json:"completed"`
	Total     int    `json:"total,omitempty"` // 0 while it is not known
	Skipped   int    `json:"skipped,omitempty"`
	// Seconds is how long the tests took; 0 if Unity does not say.
	Seconds  float64       `json:"seconds,omitempty"`
	Current  string        `json:"current,omitempty"` // the test that is running
	Failures []TestFailure `json:"failures"`
	// MoreFailures says that Unity has not told all of them.
	MoreFailures bool   `json:"moreFailures,omitempty"`
	Note         string `json:"note,omitempty"`
}

// TestFailure is a test that has failed.
type TestFailure struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	// Path and Line are where it failed, or else where the test is declared; empty if neither is known.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// job is a test run as Unity reports it.
type job struct {
	ID       string `json:"job_id"`
	Status   string `json:"status"`
	Mode     string `json:"mode"`
	Progress struct {
		Completed int    `json:"completed"`
		Total     *int   `json:"total"`
		Current   string `json:"current_test_full_name"`
		Blocked   string `json:"blocked_reason"`
		Failures  []struct {
			Name    string `json:"full_name"`
			Message string `json:"message"`
		} `json:"failures_so_far"`
		Capped bool `json:"failures_capped"`
	} `json:"progress"`
	Error  string `json:"error"`
	Result *struct {
		Summary struct {
			Total   int     `json:"total"`
			Skipped int     `json:"skipped"`
			Seconds float64 `json:"durationSeconds"`
		} `json:"summary"`
		Results []struct {
			Name    string `json:"fullName"`
			State   string `json:"state"`
			Message string `json:"message"`
			Stack   string `json:"stackTrace"`
		} `json:"results"`
	} `json:"result"`
}

// RunTests is run_tests.
func (t *Tools) RunTests(ctx context.Context, in RunTestsArgs) (RunTestsResult, error) {
	e, err := t.editor(ctx, in.Project)
	if err != nil {
		return RunTestsResult{}, err
	}
	patient, cancel := until(ctx, in.WaitMs)
	defer cancel()
	id, note := in.JobID, ""
	if id == "" {
		if err := t.changes(); err != nil {
			return RunTestsResult{}, err
		}
		if id, note, err = t.start(ctx, e, in); err != nil {
			return RunTestsResult{}, err
		}
	}
	j, err := t.await(ctx, patient, e, id)
	if err != nil {
		return RunTestsResult{}, err
	}
	r := t.outcome(ctx, e, j)
	r.Note = strings.TrimSpace(note + " " + r.Note)
	return r, nil
}

// start starts a run once. If the answer is lost, the running job of Unity is queried instead of a second start.
func (t *Tools) start(ctx context.Context, e bridge.Editor, in RunTestsArgs) (id, note string, err error) {
	const doing = "starting the tests"
	if in.Mode == "" {
		in.Mode = "EditMode"
	}
	params := map[string]any{"mode": in.Mode, "includeFailedTests": true}
	for name, all := range map[string][]string{"testNames": in.Tests, "groupNames": in.Groups, "categoryNames": in.Categories, "assemblyNames": in.Assemblies} {
		if len(all) > 0 {
			params[name] = all
		}
	}
	begun := time.Now()
	answer, err := t.unity.call(ctx, e, "run_tests", params, false)
	if errors.Is(err, bridge.ErrDropped) && ctx.Err() == nil {
		s, lost := t.unity.editorState(ctx, e)
		if lost == nil && s.Tests.IsRunning && s.Tests.JobID != "" && s.Tests.Started != nil && !time.UnixMilli(*s.Tests.Started).Before(begun.Add(-time.Second)) {
			return s.Tests.JobID, "The connection ended when the tests began.", nil
		}
		if lost == nil && !s.Tests.IsRunning {
			return "", "", problem(codeUncertain, "Call again.", err, "%s: the connection ended before Unity answered, and now it runs none", doing)
		}
	}
	if err != nil {
		return "", "", explain(doing, err)
	}
	if !answer.Success {
		return "", "", explain(doing, &failure{answer})
	}
	var started struct {
		ID string `json:"job_id"`
	}
	if err := json.Unmarshal(answer.Data, &started); err != nil || started.ID == "" {
		return "", "", problem(codeFailed, "Call read_console, and ask the user to update the package MCP for Unity.", err, "%s: Unity has not said which run it is", doing)
	}
	return started.ID, "", nil
}

// await asks for a run until it has ended, or until the patient context ends.
func (t *Tools) await(ctx, patient context.Context, e bridge.Editor, id string) (*job, error) {
	const doing = "asking for the tests"
	for {
		answer, err := t.unity.call(ctx, e, "get_test_job", map[string]any{"job_id": id, "includeFailedTests": true}, true)
		refusal, refused := errors.AsType[*bridge.Refusal](err)
		waits := errors.Is(err, bridge.ErrReloading) || refused && refusal.TimedOut()
		var j job
		switch {
		case waits:
			// A test may keep the main thread, and entering play mode reloads the scripts.
			j = job{ID: id, Status: "running"}
			j.Progress.Blocked = "not answering"
		case err != nil:
			return nil, explain(doing, err)
		case !answer.Success && strings.Contains(answer.Error, "Unknown job_id"):
			return nil, problem(codeUnknownJob, "Start the tests again.", nil, "Unity knows no run %.100q; it may have been restarted", id)
		case !answer.Success:
			return nil, explain(doing, &failure{answer})
		default:
			if err := json.Unmarshal(answer.Data, &j); err != nil {
				return nil, problem(codeFailed, "Ask the user to update the package MCP for Unity.", err, "%s: the result of the run is not understood", doing)
			}
		}
		if j.Status != "running" {
			return &j, nil
		}
		total := 0
		if j.Progress.Total != nil {
			total = *j.Progress.Total
		}
		mcp.Progress(ctx, float64(j.Progress.Completed), float64(total), truncate.Line(j.Progress.Current, 200))
		if wait.Sleep(patient, t.poll) != nil {
			if ctx.Err() != nil {
				return nil, explain(doing, context.Cause(ctx))
			}
			return &j, nil
		}
	}
}

// outcome is a run as it is answered.
func (t *Tools) outcome(ctx context.Context, e bridge.Editor, j *job) RunTestsResult {
	r := RunTestsResult{
		Project: t.displayPath(e.Project), JobID: truncate.Line(j.ID, 100), Mode: truncate.Line(j.Mode, 20), Completed: j.Progress.Completed,
		Current: truncate.Line(j.Progress.Current, maxErrorText), Failures: []TestFailure{}, MoreFailures: j.Progress.Capped,
	}
	if j.Progress.Total != nil {
		r.Total = *j.Progress.Total
	}
	stacks := make(map[string]string)
	if j.Result != nil {
		r.Total, r.Skipped, r.Seconds = j.Result.Summary.Total, j.Result.Summary.Skipped, j.Result.Summary.Seconds
		for _, one := range j.Result.Results {
			stacks[one.Name] = one.Stack
		}
	}
	for _, f := range j.Progress.Failures[:min(len(j.Progress.Failures), 100)] {
		one := TestFailure{Name: truncate.Line(f.Name, maxErrorText), Message: truncate.Cut(f.Message, maxMessage)}
		at := locationIn(stacks[f.Name], e.Project)
		if at.path == "" {
			at = locationIn(f.Message, e.Project)
		}
		if at.path != "" {
			one.Path, one.Line = t.displayPath(at.path), at.line
		}
		r.Failures = append(r.Failures, one)
	}
	t.locate(ctx, e, r.Failures)
	switch {
	case j.Status == "running":
		r.Status = "running"
		r.Note = "Call run_tests again with this jobId."
		if j.Progress.Blocked != "" {
			r.Note = "Unity does not get on with it (" + truncate.Line(j.Progress.Blocked, 40) + "). " + r.Note
		}
	case j.Error != "":
		r.Status, r.Note = "error", truncate.Line(j.Error, maxErrorText)
	case j.Status == "succeeded":
		r.Status = "passed"
	default:
		r.Status = "failed"
	}
	return r
}

// TextContent returns the result as text for a model.
func (r RunTestsResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[tests of %s: %s, %d of %d done, %d failed", r.Project, r.Status, r.Completed, r.Total, len(r.Failures))
	if r.MoreFailures {
		b.WriteString(" or more")
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&b, ", %d skipped", r.Skipped)
	}
	fmt.Fprintf(&b, "; jobId %s]\n", r.JobID)
	for _, f := range r.Failures {
		if f.Path != "" {
			fmt.Fprintf(&b, "%s:%d: ", f.Path, f.Line)
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Name, strings.TrimSpace(f.Message))
	}
	if r.Current != "" {
		b.WriteString("[running " + r.Current + "]\n")
	}
	if r.Note != "" {
		b.WriteString("[" + r.Note + "]\n")
	}
	return b.String()
}
