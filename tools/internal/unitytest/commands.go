package unitytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readConsole returns a page of the console.
func (e *Editor) readConsole(params []byte) any {
	p := struct {
		Types      []string `json:"types"`
		PageSize   int      `json:"pageSize"`
		Cursor     int      `json:"cursor"`
		FilterText string   `json:"filterText"`
		Stack      bool     `json:"includeStacktrace"`
	}{Types: []string{"error", "warning"}, PageSize: 50}
	if err := json.Unmarshal(params, &p); err != nil {
		return failed("Parameters cannot be null.", nil)
	}
	p.PageSize = min(max(p.PageSize, 1), 500)
	end, total := p.Cursor+p.PageSize, 0
	items := []Entry{}
	for _, one := range e.console {
		kind := strings.ToLower(one.Type)
		wanted := slices.Contains(p.Types, kind) || (kind == "exception" || kind == "assert") && slices.Contains(p.Types, "error")
		if !wanted || !strings.Contains(strings.ToLower(one.Message), strings.ToLower(p.FilterText)) {
			continue
		}
		if total++; total > end {
			break
		}
		if total > p.Cursor {
			if !p.Stack {
				one.Stack = ""
			}
			items = append(items, one)
		}
	}
	var next any
	if total > end {
		next = strconv.Itoa(end)
	}
	return success(fmt.Sprintf("Retrieved %d log entries.", len(items)), map[string]any{
		"cursor": p.Cursor, "pageSize": p.PageSize, "nextCursor": next, "truncated": total > end, "total": total, "items": items,
	})
}

// job is a test run. It executes one test for each request of its state.
type job struct {
	id, mode, status string
	started          time.Time
	tests            []Test
	completed        int
	failures         []map[string]any
}

const mostFailures = 25

func (e *Editor) runTests(params []byte) any {
	var p struct {
		Mode  string   `json:"mode"`
		Names []string `json:"testNames"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return failed(err.Error(), nil)
	}
	if e.job != nil && e.job.status == "running" {
		return failed("tests_running", map[string]any{"reason": "tests_running", "retry_after_ms": 5000})
	}
	e.job = &job{id: strings.Repeat("0123456789abcdef", 2), mode: p.Mode, status: "running", started: time.Now()}
	for _, t := range e.tests {
		if len(p.Names) == 0 || slices.Contains(p.Names, t.Name) {
			e.job.tests = append(e.job.tests, t)
		}
	}
	return success("Test job started.", map[string]any{"job_id": e.job.id, "status": "running", "mode": p.Mode})
}

func (e *Editor) getTestJob(params []byte) any {
	var p struct {
		ID string `json:"job_id"`
	}
	if json.Unmarshal(params, &p) != nil || e.job == nil || p.ID != e.job.id {
		return failed("Unknown job_id.", nil)
	}
	j := e.job
	j.step()
	var current, result any
	if j.status == "running" {
		current = j.tests[j.completed].Name
	}
	if j.status == "succeeded" {
		result = map[string]any{"mode": j.mode, "results": []any{}, "summary": map[string]any{
			"total": len(j.tests), "passed": len(j.tests), "failed": 0, "skipped": 0, "durationSeconds": 0.25, "resultState": "Passed",
		}}
	}
	return success("Test job status retrieved.", map[string]any{
		"job_id": j.id, "status": j.status, "mode": j.mode, "error": nil, "result": result,
		"progress": map[string]any{
			"completed": j.completed, "total": len(j.tests), "current_test_full_name": current, "stuck_suspected": false,
			"blocked_reason": nil, "failures_so_far": j.failures, "failures_capped": len(j.failures) >= mostFailures,
		},
	})
}

// step executes the next test.
func (j *job) step() {
	if j.status != "running" {
		return
	}
	if j.completed < len(j.tests) {
		if t := j.tests[j.completed]; t.Failure != "" && len(j.failures) < mostFailures {
			j.failures = append(j.failures, map[string]any{"full_name": t.Name, "message": t.Failure})
		}
		j.completed++
	}
	if j.completed == len(j.tests) {
		if j.status = "succeeded"; len(j.failures) > 0 {
			j.status = "failed"
		}
	}
}

func (e *Editor) refresh([]byte) any {
	if e.job != nil && e.job.status == "running" {
		return failed("tests_running", map[string]any{"reason": "tests_running", "retry_after_ms": 5000})
	}
	e.compiled = time.Now()
	return success("Refresh requested.", map[string]any{"refresh_triggered": true, "compile_requested": false, "resulting_state": "idle"})
}

func (e *Editor) state([]byte) any {
	tests := map[string]any{"is_running": false, "current_job_id": nil, "started_unix_ms": nil}
	if e.job != nil && e.job.status == "running" {
		tests = map[string]any{"is_running": true, "current_job_id": e.job.id, "started_unix_ms": e.job.started.UnixMilli()}
	}
	return success("Retrieved editor state.", map[string]any{
		"schema_version": "unity-mcp/editor_state@2",
		"activity":       map[string]any{"phase": "idle"},
		"compilation": map[string]any{
			"is_compiling": e.busy, "is_domain_reload_pending": false, "last_compile_started_unix_ms": nil, "last_compile_finished_unix_ms": nil,
			"last_domain_reload_before_unix_ms": nil, "last_domain_reload_after_unix_ms": e.compiled.UnixMilli(),
		},
		"assets": map[string]any{"is_updating": false},
		"tests":  tests,
	})
}
