package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/spool"
	"github.com/dougu-go/dougu/tools/terminal/build"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

const (
	maxErrors   = 100
	maxWarnings = 50
	// maxSuccessLog is the most bytes of log that are shown of a successful build.
	maxSuccessLog = 4 << 10
	// minLogDivisor is the divisor of the budget that gives the least size of the log.
	minLogDivisor = 4
)

// report returns the present state of a build. The error is that of a step that could not be started.
func (t *Terminal) report(ctx context.Context, run *buildRun) (BuildResult, error) {
	run.mu.Lock()
	steps, failed, ended := run.steps, run.err, run.ended
	run.mu.Unlock()
	if failed != nil {
		return BuildResult{}, failed
	}
	last := steps[len(steps)-1]
	s := last.state()
	r := BuildResult{
		System: string(run.plan.System), Command: last.line, ProcessID: last.id,
		ExitCode: s.exit.Code, Signal: s.exit.Signal, TimedOut: s.timedOut, Running: ended.IsZero(), ExecutionTime: time.Since(run.started).Milliseconds(),
		Errors: []build.Problem{}, Warnings: []build.Problem{}, Artifacts: []string{}, Note: run.note, offers: t.offers(),
	}
	if r.Running {
		r.ExitCode = -1
	} else {
		r.Success = s.exit == (process.Exit{})
		r.ExecutionTime = ended.Sub(run.started).Milliseconds()
	}
	if r.Success {
		r.Artifacts = t.artifacts(ctx, run)
	}
	room := t.limits.Answer
	testsRan := false
	for _, step := range steps {
		ran, missing := step.matcher.Tests()
		testsRan, r.NoTests = testsRan || ran, r.NoTests || missing
	}
	r.NoTests = r.NoTests && !testsRan && !r.Running
	for _, step := range steps {
		r.add(step.matcher, room-room/minLogDivisor)
	}
	room = max(room/minLogDivisor, room-size(r.Errors)-size(r.Warnings))
	if r.Success {
		room = min(room, maxSuccessLog)
	}
	r.log(last, room)
	return r, nil
}

// add adds the problems of a matcher, within room bytes.
func (r *BuildResult) add(m *build.Matcher, room int) {
	for _, p := range m.Problems() {
		list, count, most := &r.Errors, &r.ErrorCount, maxErrors
		if p.Severity == build.Warning {
			list, count, most = &r.Warnings, &r.WarningCount, maxWarnings
		}
		*count++
		if len(*list) >= most || size(r.Errors)+size(r.Warnings)+problemSize(p) > room {
			r.Truncated = true
			continue
		}
		*list = append(*list, p)
	}
	if m.Omitted() > 0 {
		r.Truncated = true
	}
}

// maxUnsavedNames is the number of files with unsaved text that a note names.
const maxUnsavedNames = 5

// unsavedNote names the files whose unsaved text a build does not see, or returns "" if there are none. It is about all files of the
// project, because a build reads files outside of its directory too.
func (t *Terminal) unsavedNote(ctx context.Context) string {
	ctx, view := t.root.View(ctx)
	files, err := t.root.UnsavedFiles(ctx)
	if err != nil || len(files) == 0 {
		if problem := view.Problem(); problem != "" {
			return "the build may not have seen unsaved text: " + problem
		}
		return ""
	}
	var names, programs []string
	for _, f := range files {
		if names = append(names, f.Path); !slices.Contains(programs, f.Unsaved) {
			programs = append(programs, f.Unsaved)
		}
	}
	slices.Sort(names)
	slices.Sort(programs)
	verb, more := "have", ""
	if len(names) == 1 {
		verb = "has"
	}
	if len(names) > maxUnsavedNames {
		names, more = names[:maxUnsavedNames], ", …"
	}
	return fmt.Sprintf("%s %s unsaved text in %s that the build did not see: %s%s", plural.Count(len(files), "file"), verb,
		strings.Join(programs, " and "), strings.Join(names, ", "), more)
}

// size returns the bytes of problems in an answer.
func size(all []build.Problem) (n int) {
	for _, p := range all {
		n += problemSize(p)
	}
	return n
}

// problemSize returns an estimate of the bytes of a problem in JSON.
func problemSize(p build.Problem) int { return 40 + len(p.File) + len(p.Message) + len(p.Code) }

// log sets the end of the output of a step.
func (r *BuildResult) log(step *buildStep, room int) {
	size := step.out.Size(spool.Both)
	o := step.readable(spool.Both, false)
	o.Overwritten = true
	text, at, _ := step.tail(spool.Both, size, int64(room), o)
	for len(text) > room && room > 0 { // the text can be longer than its bytes
		room /= 2
		text, at, _ = step.tail(spool.Both, size, int64(room), o)
	}
	r.BuildLog = text
	r.Truncated = r.Truncated || at > readable.MaxCut
}

// TextContent returns the text for the model: the outcome, the problems and the end of the log.
func (r BuildResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", r.headline())
	if r.Note != "" {
		b.WriteString("[" + r.Note + "]\n")
	}
	for _, p := range r.Errors {
		b.WriteString(p.String() + "\n")
	}
	for _, p := range r.Warnings {
		b.WriteString(p.String() + "\n")
	}
	if more := r.ErrorCount + r.WarningCount - len(r.Errors) - len(r.Warnings); more > 0 {
		fmt.Fprintf(&b, "[%d more errors and warnings]\n", more)
	}
	if len(r.Artifacts) > 0 {
		fmt.Fprintf(&b, "[made: %s]\n", strings.Join(r.Artifacts, ", "))
	}
	if r.BuildLog != "" {
		all := r.offers.advice("; read_process_output has all of it as process "+r.ProcessID, "", "read_process_output")
		b.WriteString("[the end of the log" + all + "]\n" + r.BuildLog)
	}
	return b.String()
}

// headline returns the first line.
func (r BuildResult) headline() string {
	took := time.Duration(r.ExecutionTime) * time.Millisecond
	if r.NoTests && r.Success {
		return fmt.Sprintf("no test was found: %s has ended well in %v without running any; %s", r.Command, took, plural.Count(r.WarningCount, "warning"))
	}
	if !r.Running && !r.Success && r.ErrorCount == 0 && r.NoTests {
		return r.failure(took) + ": no test was found"
	}
	if !r.Running && !r.Success && r.ErrorCount == 0 {
		return r.failure(took) + ": no error was recognized in its output; the log has the reason"
	}
	found := fmt.Sprintf("%s, %s", plural.Count(r.ErrorCount, "error"), plural.Count(r.WarningCount, "warning"))
	switch {
	case r.Running:
		return fmt.Sprintf("still building with %s after %v, %s so far: execute_build with processId=%s waits for the end", r.System, took, found, r.ProcessID)
	case r.Success:
		return fmt.Sprintf("built with %s in %v: %s", r.System, took, found)
	}
	return r.failure(took) + ": " + found
}

// failure describes the end of a failed build.
func (r BuildResult) failure(took time.Duration) string {
	switch {
	case r.TimedOut:
		return fmt.Sprintf("the build with %s was ended by its timeout after %v", r.System, took)
	case r.Signal != "":
		return fmt.Sprintf("the build with %s was ended by %s after %v", r.System, r.Signal, took)
	}
	return fmt.Sprintf("%s failed with exit code %d after %v", r.Command, r.ExitCode, took)
}
