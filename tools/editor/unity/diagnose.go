package unity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// tooSoon is the minimum time for a query. A query with less time usually follows a change, whose errors Unity reports only
// after it has compiled.
const tooSoon = 500 * time.Millisecond

const notCompiled = "Unity has not compiled this since it was changed: call unity_refresh, or bring the window of Unity to the front"

// Diagnose returns the console entries about C# files. Other files, and queries with less than half a second, are left to the
// next adapter.
func (u *Unity) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	out := adapter.Diagnostics{Fresh: true, Covered: []string{}}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < tooSoon {
		return out, fmt.Errorf("Unity has not compiled so soon: %w", adapter.ErrUnsupported)
	}
	editors := u.running()
	asked := make(map[string][]string) // files by the hash of the project
	if len(paths) > 0 {
		editors = nil
		for _, path := range paths {
			if e, ok := u.covering(ctx, path); ok && isScript(path) {
				out.Covered = append(out.Covered, path)
				if asked[e.Hash] == nil {
					editors = append(editors, e)
				}
				asked[e.Hash] = append(asked[e.Hash], path)
			}
		}
	} else {
		out.Covered = nil
		out.Covers = func(path string) bool {
			return isScript(path) && slices.ContainsFunc(editors, func(e bridge.Editor) bool { return presence.Depth([]string{e.Project}, path) >= 0 })
		}
	}
	for _, e := range editors {
		if err := u.diagnose(ctx, e, asked[e.Hash], &out); err != nil {
			return out, fmt.Errorf("asking Unity for diagnostics: %w", err)
		}
	}
	return out, nil
}

// diagnose adds the diagnostics of one editor.
func (u *Unity) diagnose(ctx context.Context, e bridge.Editor, paths []string, out *adapter.Diagnostics) error {
	entries, more, err := u.console(ctx, e, []string{"error", "warning"}, "")
	switch {
	case errors.Is(err, bridge.ErrReloading):
		out.Fresh = false
		out.Notes = append(out.Notes, "Unity is reloading its scripts; call again in a few seconds")
		return nil
	case errors.Is(err, bridge.ErrGone):
		return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
	case err != nil:
		return err
	}
	if more {
		out.Notes = append(out.Notes, fmt.Sprintf("only the %d oldest entries of the console were looked at", maxEntries))
	}
	logged := 0
	seen := make(map[adapter.Diagnostic]bool)
	for _, one := range entries {
		d, ok := one.diagnostic()
		if !ok || len(paths) > 0 && !slices.Contains(paths, d.Path) || seen[d] {
			continue
		}
		if seen[d] = true; !one.compiled {
			logged++
		}
		out.Items = append(out.Items, d)
	}
	if logged > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of the messages were logged at run time and stay until the console of Unity is cleared", logged))
	}
	if fresh, note := u.fresh(ctx, e, paths); !fresh {
		out.Fresh = false
		out.Notes = append(out.Notes, note)
	}
	return nil
}

// diagnostic is an entry that leads into the project; ok is false if it does not.
func (e *entry) diagnostic() (d adapter.Diagnostic, ok bool) {
	if e.place.path == "" || e.place.line < 1 {
		return d, false
	}
	at := adapter.Position{Line: e.place.line, Column: max(e.place.column, 1)}
	return adapter.Diagnostic{
		Path: e.place.path, Range: adapter.Range{Start: at, End: at}, Severity: e.severity(), Message: e.text(), Code: e.code, Source: "unity",
	}, true
}

// fresh tells whether Unity has compiled files since they were changed, or why that is not known.
func (u *Unity) fresh(ctx context.Context, e bridge.Editor, paths []string) (bool, string) {
	s, err := u.editorState(ctx, e)
	switch {
	case err != nil:
		return false, "Unity does not tell when it has compiled"
	case s.busy() != "":
		return false, "Unity is " + s.busy() + "; call again in a few seconds"
	}
	changed := time.Time{}
	if len(paths) == 0 {
		changed = u.lastChange()
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(changed) {
			changed = info.ModTime()
		}
	}
	if s.compiled().Before(changed) {
		return false, notCompiled
	}
	return true, ""
}

// editorState is the activity that Unity reports.
type editorState struct {
	Activity struct {
		Phase string `json:"phase"`
	} `json:"activity"`
	Compilation struct {
		IsCompiling  bool   `json:"is_compiling"`
		IsReloading  bool   `json:"is_domain_reload_pending"`
		LastFinished *int64 `json:"last_compile_finished_unix_ms"`
		LastReload   *int64 `json:"last_domain_reload_after_unix_ms"`
	} `json:"compilation"`
	Assets struct {
		IsUpdating bool `json:"is_updating"`
	} `json:"assets"`
	Tests struct {
		IsRunning bool   `json:"is_running"`
		JobID     string `json:"current_job_id"`
		Started   *int64 `json:"started_unix_ms"`
	} `json:"tests"`
}

// editorState asks for it.
func (u *Unity) editorState(ctx context.Context, e bridge.Editor) (editorState, error) {
	var s editorState
	answer, err := u.call(ctx, e, "get_editor_state", struct{}{}, true)
	if err != nil {
		return s, err
	}
	if !answer.Success {
		return s, &failure{answer}
	}
	if err := json.Unmarshal(answer.Data, &s); err != nil {
		return s, fmt.Errorf("the state of Unity is not understood: %w", err)
	}
	return s, nil
}

// busy returns the activity that makes diagnostics outdated, or "".
func (s editorState) busy() string {
	switch {
	case s.Compilation.IsCompiling:
		return "compiling"
	case s.Compilation.IsReloading:
		return "reloading its scripts"
	case s.Assets.IsUpdating:
		return "importing assets"
	}
	return ""
}

// compiled returns the time of the last compilation. Unity loses it when the new scripts are loaded, which is later.
func (s editorState) compiled() time.Time {
	var last time.Time
	for _, ms := range []*int64{s.Compilation.LastFinished, s.Compilation.LastReload} {
		if ms != nil && time.UnixMilli(*ms).After(last) {
			last = time.UnixMilli(*ms)
		}
	}
	return last
}
