package kuromajutsu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
	"github.com/dougu-go/dougu/tools/config"
)

// stage changes options to the ones with which the demonstration runs: the project and everything that is kept are in a directory
// that is thrown away, and the roles of the user are left alone.
func stage(o *agentservice.Options, dir string) error {
	project := filepath.Join(dir, "project")
	for name, text := range map[string]string{
		"README.md":        "# 猫の時計\n\nA clock for cats.\n",
		"src/clock.ts":     "export function hour(cat: string): number {\n  return cat.length % 24;\n}\n",
		"src/index.ts":     "import { hour } from \"./clock\";\n\nconsole.log(hour(\"たま\"));\n",
		"docs/glossary.md": "# Glossary\n",
	} {
		name = filepath.Join(project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("making a project for the demonstration: %w", err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return fmt.Errorf("making a project for the demonstration: %w", err)
		}
	}
	environ := slices.DeleteFunc(slices.Clone(o.Environ()), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(theirs, name)
	})
	environ = append(environ, agentservice.StateHome+"="+filepath.Join(dir, "state"))
	o.Directory, o.Environ = project, func() []string { return environ }
	if o.ConfigFile == "" {
		o.ConfigFile = filepath.Join(dir, agentservice.DefaultFile)
	}
	return nil
}

// theirs are the variables that the demonstration removes, because they name the user's own
// files or notify other people.
var theirs = []string{agentservice.StateHome, agentservice.Prefix + "CONFIG", agentservice.Prefix + "HISTORY_PATH", agentservice.Prefix + "NOTIFY_TARGETS"}

// scene is a group of agents: each has a role, a recording that it plays, and the indices
// of the agents that it waits for.
type scene struct {
	description string
	agents      []part
}

type part struct {
	role, recording, prompt string
	after                   []int
	timeout                 time.Duration
}

// pace converts a duration of the recordings to a duration of the demonstration. See
// package replay.
type pace func(time.Duration) time.Duration

func paceOf(environ []string) pace {
	speed, err := strconv.ParseFloat(config.Lookup(environ, "FAKEAGENT_SPEED"), 64)
	if err != nil || !(speed > 0) {
		speed = 1
	}
	return func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
}

// demonstration plays the scenes with a service.
type demonstration struct{ *agentservice.Service }

// play has the scenes played, over and over unless once is set.
func (s demonstration) play(ctx context.Context, takes pace, once bool) error {
	for {
		var ids []string
		for _, scene := range scenes {
			cast, err := s.begin(ctx, takes, scene)
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				return err
			}
			ids = append(ids, cast...)
			if wait.Sleep(ctx, takes(4*time.Second)) != nil {
				return nil
			}
		}
		if !s.ended(ctx, ids) || once {
			return nil
		}
		if wait.Sleep(ctx, takes(10*time.Second)) != nil {
			return nil
		}
		if err := s.clear(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// begin creates a group and starts its agents. It skips agents with an unusable role,
// because the user may edit roles during the demonstration.
func (s demonstration) begin(ctx context.Context, takes pace, of scene) ([]string, error) {
	group, err := s.Crew().CreateGroup(ctx, agents.GroupArgs{Description: of.description})
	if err != nil {
		return nil, fmt.Errorf("making a group: %w", err)
	}
	cast := make([]string, len(of.agents)) // empty for one that was left out
	for i, p := range of.agents {
		args := agents.RunArgs{GroupID: group.GroupID, Role: p.role, Prompt: fmt.Sprintf("%s\n\n[fake:%s]", p.prompt, p.recording)}
		if p.timeout > 0 {
			args.TimeoutMs = takes(p.timeout).Milliseconds()
		}
		for _, after := range p.after {
			if cast[after] != "" {
				args.DependsOn = append(args.DependsOn, cast[after])
			}
		}
		run, err := s.Crew().Run(ctx, args)
		var refused interface{ ErrorCode() string }
		switch {
		case err == nil:
			cast[i] = run.AgentID
		case ctx.Err() == nil && errors.As(err, &refused) && refused.ErrorCode() != "":
			s.Log().Warn("an agent of the demonstration is left out", "role", p.role, "error", err)
		default:
			return nil, fmt.Errorf("ordering an agent: %w", err)
		}
	}
	return slices.DeleteFunc(cast, func(id string) bool { return id == "" }), nil
}

// ended waits until all agents have ended; false means that ctx has.
func (s demonstration) ended(ctx context.Context, ids []string) bool {
	for len(ids) > 0 {
		r, err := s.Crew().Wait(ctx, agents.WaitArgs{AgentIDs: ids})
		if err != nil {
			return false
		}
		if len(r.Pending) == 0 {
			return true
		}
	}
	return true
}

// clear deletes the groups, whose agents stay in the history.
func (s demonstration) clear(ctx context.Context) error {
	groups, err := s.Groups(ctx)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := s.Crew().RemoveGroup(ctx, g.ID, true); err != nil {
			return fmt.Errorf("deleting a group: %w", err)
		}
	}
	return nil
}
