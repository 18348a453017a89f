package terminal

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// defaultBuildTimeout ends a build that nobody ends.
const defaultBuildTimeout = 30 * time.Minute

// BuildArgs are the arguments of execute_build.
type BuildArgs struct {
	// ProjectPath is the directory with the files of the build system: relative to the
	// project root, or absolute and in the project. Empty is the root.
	ProjectPath string `json:"projectPath,omitempty" jsonschema:"default=."`
	// BuildType is one of build.Systems. Empty or auto finds it out.
	BuildType string `json:"buildType,omitempty" jsonschema:"enum=auto,enum=npm,enum=yarn,enum=pnpm,enum=maven,enum=gradle,enum=msbuild,enum=go,enum=cargo,enum=dotnet,enum=swift,enum=xcodebuild,enum=make,enum=cmake,enum=python,default=auto"`
	// Target is build, test, clean, prod, or what the system itself knows. Empty is
	// build.
	Target string `json:"target,omitempty" jsonschema:"default=build,description=test\\, clean\\, prod; a script\\, goal or task"`
	// WaitMs is how long to wait for the end, in milliseconds; the build goes on
	// afterwards. nil is 50,000. A task waits for the end.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,default=50000"`
	// Timeout is after how many milliseconds the build is ended. 0 is half an hour.
	Timeout int `json:"timeout,omitempty"`
	// ProcessID waits for a build that was begun before, instead of beginning one.
	ProcessID string `json:"processId,omitempty" jsonschema:"description=Wait for this build"`
}

// BuildResult is what execute_build answers.
type BuildResult struct {
	// Success says that the build has ended, and well.
	Success bool `json:"success"`
	// System is what builds, such as npm, and Command its last command.
	System  string `json:"system"`
	Command string `json:"command"`
	// BuildLog is the end of what the last command has said.
	BuildLog string `json:"buildLog"`
	// Errors and Warnings are what was found in it, with their places: paths are
	// relative to the project. There are ErrorCount and WarningCount altogether.
	Errors       []build.Problem `json:"errors"`
	Warnings     []build.Problem `json:"warnings"`
	ErrorCount   int             `json:"errorCount"`
	WarningCount int             `json:"warningCount"`
	// NoTests says that the builder was to run tests and found none.
	NoTests bool `json:"noTests,omitempty"`
	// Artifacts are files that have appeared or changed where the system puts what it
	// builds, at most 50, the newest first.
	Artifacts []string `json:"artifacts"`
	// ProcessID names the last command to the other tools.
	ProcessID string `json:"processId"`
	// Running, ExitCode, Signal, TimedOut and ExecutionTime are those of
	// CommandResult.
	Running       bool   `json:"running,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	TimedOut      bool   `json:"timedOut,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// Truncated says that the log, the errors or the warnings lack something.
	Truncated bool `json:"truncated,omitempty"`

	offers offering
}

// Build is execute_build: it finds out what builds a project, runs that, and reads
// what it says. A build that fails is no error. One of the same project and target
// that is running already is joined.
func (t *Terminal) Build(ctx context.Context, args BuildArgs) (BuildResult, error) {
	wait := maxWait
	if args.WaitMs != nil {
		var err error
		if wait, err = waiting(*args.WaitMs); err != nil {
			return BuildResult{}, err
		}
	}
	run, err := t.buildOf(ctx, args)
	if err != nil {
		return BuildResult{}, err
	}
	defer run.leave()
	over, err := await(ctx, run.over, mcp.WorkTimeout(ctx, wait), func(ctx context.Context) { run.step().tell(ctx) })
	if err != nil {
		run.deserted()
		return BuildResult{}, fmt.Errorf("nobody waits for the build any more: %w", err)
	}
	if !over {
		run.handOut()
	}
	return t.report(ctx, run)
}

// buildOf begins a build or finds the one that is meant, and waits for it with the
// caller, who must leave it.
func (t *Terminal) buildOf(ctx context.Context, args BuildArgs) (*buildRun, error) {
	if args.ProcessID != "" {
		return t.knownBuild(ctx, args.ProcessID)
	}
	timeout := time.Duration(args.Timeout) * time.Millisecond
	switch {
	case timeout == 0:
		timeout = defaultBuildTimeout
	case timeout < 0 || timeout > maxTimeout:
		return nil, invalid("Give a timeout of 1 to 86400000 ms.", "the timeout of %v is out of bounds", timeout)
	}
	_, path, err := t.directory(ctx, args.ProjectPath)
	if err != nil {
		return nil, err
	}
	plan, err := build.PlanOf(buildFiles{ctx, t.root}, path, build.System(args.BuildType), args.Target)
	if err != nil {
		return nil, err
	}
	return t.beginBuild(ctx, buildKey{caller.PrincipalOf(ctx), path, plan.System, args.Target}, plan, timeout)
}
