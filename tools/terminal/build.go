package terminal

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// defaultBuildTimeout is the default timeout of a build.
const defaultBuildTimeout = 30 * time.Minute

// BuildArgs are the arguments of execute_build.
type BuildArgs struct {
	// ProjectPath is the directory with the build files, relative to the project root or absolute and inside the project. The
	// default is the root.
	ProjectPath string `json:"projectPath,omitempty" jsonschema:"default=."`
	// BuildType is one of build.Systems. auto, the default, detects it.
	BuildType string `json:"buildType,omitempty" jsonschema:"enum=auto,enum=npm,enum=yarn,enum=pnpm,enum=maven,enum=gradle,enum=msbuild,enum=go,enum=cargo,enum=dotnet,enum=swift,enum=xcodebuild,enum=make,enum=cmake,enum=python,default=auto"`
	// Target is build, test, clean, prod, or a script, goal or task of the build system. The default is build.
	Target string `json:"target,omitempty" jsonschema:"default=build,description=test\\, clean\\, prod; a script\\, goal or task"`
	// WaitMs is the time to wait for the end in milliseconds. The build continues afterwards. nil is 50,000. A task waits until
	// the end.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,default=50000"`
	// Timeout is the time in milliseconds after which the build is ended. 0 is 30 minutes.
	Timeout int `json:"timeout,omitempty"`
	// ProcessID waits for a running build instead of starting one.
	ProcessID string `json:"processId,omitempty" jsonschema:"description=Wait for this build"`
}

// BuildResult is the result of execute_build.
type BuildResult struct {
	// Success means that the build has ended without errors.
	Success bool `json:"success"`
	// System is the build system, for example npm. Command is its last command.
	System  string `json:"system"`
	Command string `json:"command"`
	// BuildLog is the end of the output of the last command.
	BuildLog string `json:"buildLog"`
	// Errors and Warnings are the problems in the output, with paths relative to the project. ErrorCount and WarningCount count
	// all of them.
	Errors       []build.Problem `json:"errors"`
	Warnings     []build.Problem `json:"warnings"`
	ErrorCount   int             `json:"errorCount"`
	WarningCount int             `json:"warningCount"`
	// NoTests means that the build had to run tests and found none.
	NoTests bool `json:"noTests,omitempty"`
	// Artifacts are new or changed files in the output directories, newest first, at most 50.
	Artifacts []string `json:"artifacts"`
	// ProcessID is the process of the last command, for the other tools.
	ProcessID string `json:"processId"`
	// Running, ExitCode, Signal, TimedOut and ExecutionTime are as in CommandResult.
	Running       bool   `json:"running,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	TimedOut      bool   `json:"timedOut,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
	// Truncated means that the log, the errors or the warnings are incomplete.
	Truncated bool `json:"truncated,omitempty"`
	// Note names files with unsaved text in an editor at the start of the build, which reads the disk.
	Note string `json:"note,omitempty"`

	offers offering
}

// Build implements execute_build: it detects the build system, runs the build and parses its output. A failed build is no
// error. A running build of the same project and target is joined.
func (t *Terminal) Build(ctx context.Context, args BuildArgs) (BuildResult, error) {
	wait := t.options.MaxWait
	if args.WaitMs != nil {
		var err error
		if wait, err = parseWait(*args.WaitMs); err != nil {
			return BuildResult{}, err
		}
	}
	run, err := t.buildOf(ctx, args)
	if err != nil {
		return BuildResult{}, err
	}
	defer run.leave()
	over, err := await(ctx, run.over, mcp.WorkTimeout(ctx, wait), func(ctx context.Context) { run.step().reportProgress(ctx) })
	if err != nil {
		run.endIfAbandoned()
		return BuildResult{}, fmt.Errorf("the call of the build was cancelled: %w", err)
	}
	if !over {
		run.keepRunning()
	}
	return t.report(ctx, run)
}

// buildOf starts a build, joins a running one, or finds the build of ProcessID. The caller must leave it.
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
