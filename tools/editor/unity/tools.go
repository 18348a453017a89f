package unity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// toolTimeout ends a call before clients give it up.
const toolTimeout = 50 * time.Second

// Tools is the tool set for Unity. Its methods are safe for concurrent use.
type Tools struct {
	unity  *Unity
	root   *security.Root
	limits tools.Limits
	log    *slog.Logger
	tools  []mcp.ServerTool
	// poll is the interval of status queries.
	poll time.Duration
}

// NewTools makes the set, which works with u and does not close it. The environment needs a Root, which stays the caller's to close:
// tests that have failed are looked up in it, and paths are told relative to it.
func NewTools(env tools.Env, u *Unity) (*Tools, error) {
	if env.Root == nil {
		return nil, errors.New("making the tools for Unity: the environment has no root")
	}
	t := &Tools{unity: u, root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), poll: time.Second}
	var err error
	t.tools, err = tools.Define(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: t.limits.MaxResult()},
		mcp.NewTool(mcp.Tool{
			Name: "read_console", Annotations: mcp.ReadOnly(),
			Description: "Reads the console of Unity, the newest entries last, with the file and line of each.",
		}, t.ReadConsole),
		mcp.NewTool(mcp.Tool{
			Name: "run_tests", Annotations: mcp.Destructive(),
			Description: "Runs tests of the Unity project and waits for them up to waitMs; then call again with the jobId. Saves open scenes.",
		}, t.RunTests),
		mcp.NewTool(mcp.Tool{
			Name: "unity_refresh", Annotations: mcp.Destructive(),
			Description: "Makes Unity import changed assets and compile changed scripts, waits for it, and returns the compiler errors.",
		}, t.Refresh),
	)
	if err != nil {
		return nil, fmt.Errorf("making the tools for Unity: %w", err)
	}
	return t, nil
}

// Features implements tools.Set. The tools are listed while Unity is running. Otherwise a call returns an error that names the
// program to start.
func (t *Tools) Features() mcp.Features {
	var f mcp.Features
	hidden := !t.unity.State().Running
	for _, tool := range t.tools {
		f.Tools = append(f.Tools, tool.With(mcp.ToolOptions{Unlisted: hidden}))
	}
	return f
}

// Watch implements tools.Watcher.
func (t *Tools) Watch(changed func()) (stop func()) { return t.unity.Watch(changed) }

// Close implements tools.Set. It leaves the Unity that it was made with.
func (t *Tools) Close(context.Context) error { return nil }

// editor is the one that is meant: by the name or directory of its project, or the only one.
func (t *Tools) editor(ctx context.Context, project string) (bridge.Editor, error) {
	all := t.unity.running()
	if len(all) == 0 {
		t.unity.lookout.Refresh(ctx)
		all = t.unity.running()
	}
	if len(all) == 0 {
		return bridge.Editor{}, problem(codeNotRunning, "Ask the user to do this, and call again: "+howToStart+".", nil, "no Unity runs with a project of this directory")
	}
	var names []string
	fitting := slices.DeleteFunc(slices.Clone(all), func(e bridge.Editor) bool {
		names = append(names, t.displayPath(e.Project))
		return project != "" && project != e.Name && project != e.Project && filepath.Clean(project) != t.displayPath(e.Project)
	})
	slices.Sort(names)
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) == 0:
		return bridge.Editor{}, problem(codeAmbiguous, "Name one of these as project: "+strings.Join(names, ", ")+".", nil, "no Unity runs with the project %.200q", project)
	}
	return bridge.Editor{}, problem(codeAmbiguous, "Name one of them as project: "+strings.Join(names, ", ")+".", nil, "%d Unity editors run with projects of this directory", len(fitting))
}

// changes refuses changes in a read-only Root. Tests and imports run code of the project, so they count as changes.
func (t *Tools) changes() error {
	if !t.root.ReadOnly() {
		return nil
	}
	return &security.Error{Code: security.PermissionDenied, Reason: security.ReadOnlyRoot, Message: "Unity receives no commands in a read-only server.",
		Next: "Ask the user to do it in Unity."}
}

// displayPath is a path as tools take it: relative to the Root where it lies in it.
func (t *Tools) displayPath(path string) string {
	for _, dir := range t.root.Dirs() {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if rel, err := filepath.Rel(dir, path); err == nil && presence.Within(dir, path) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// until returns a context that ends after waitMs milliseconds, or after the default.
func until(ctx context.Context, waitMs *int) (context.Context, context.CancelFunc) {
	wait := defaultWait
	if waitMs != nil {
		wait = time.Duration(*waitMs) * time.Millisecond
	}
	return context.WithTimeout(ctx, min(wait, longestWait))
}

const (
	defaultWait = 40 * time.Second
	longestWait = 45 * time.Second
)
