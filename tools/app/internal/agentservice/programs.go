package agentservice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/config"
)

// StateHome is the environment variable with the base directory for state files (XDG Base Directory
// Specification).
const StateHome = "XDG_STATE_HOME"

// StandIn is the argument with which this program plays recordings of the Cursor CLI.
const StandIn = "fakeagent"

// grace is the time that agents have to end. Clients kill a server 2 s after they close its input,
// so agents must end before that. Otherwise their processes would continue without a server.
const grace = 1500 * time.Millisecond

// openExecutors opens the executors, the default one of roles first.
func (s *Service) openExecutors(_ context.Context, o *Options, p Purpose) error {
	process := command.Options{Log: s.log, Grace: grace}
	if s.state != "" {
		process.StateDir = filepath.Join(s.state, "processes")
	}
	c := cursor.Options{Program: s.config.Agent.Cursor, PromptInput: cursor.PromptInput(s.config.Agent.PromptVia), Sandbox: s.config.Agent.Sandbox, KeepMCPClosed: !s.config.Agent.ApproveMCPs, Process: process}
	if p.Fake {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("finding the executable of this program, which plays the recordings: %w", err)
		}
		c.Program, c.Args = program, []string{StandIn}
	}
	known, err := parseModels(s.config.Agent.Models)
	if err != nil {
		return err
	}
	for _, make := range []func() (executor.Executor, error){
		func() (executor.Executor, error) { return cursor.New(c) },
		func() (executor.Executor, error) { return s.openClaude(process, known[claude.Name]) },
		func() (executor.Executor, error) {
			return codex.New(codex.Options{Program: s.config.Agent.Codex, Sandbox: s.config.Agent.CodexSandbox, Known: known[codex.Name], Process: process})
		},
		func() (executor.Executor, error) {
			return gemini.New(gemini.Options{Program: s.config.Agent.Gemini, Known: append(gemini.Models(), known[gemini.Name]...), Process: process})
		},
		func() (executor.Executor, error) {
			return acp.New(acp.Options{Program: s.config.Agent.ACP, Args: s.config.Agent.ACPArgs, Login: s.config.Agent.ACPLogin, Known: known[acp.Name], Process: process})
		},
	} {
		x, err := make()
		if err != nil {
			return err
		}
		if asked := s.unapproved[programKeys[x.Name()]]; asked != nil {
			x = &unapproved{x, asked}
		}
		s.executors = append(s.executors, x)
	}
	if !p.Fake {
		if err := s.openAdditional(o.executors); err != nil {
			return err
		}
	}
	slices.SortStableFunc(s.executors, func(a, b executor.Executor) int { return s.rank(a) - s.rank(b) })
	return nil
}

// openAdditional opens the executors of the program that uses this package, in the order of their names.
func (s *Service) openAdditional(all Executors) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := executor.CheckName(name); err != nil {
			return err
		}
		x, err := all[name](s.log)
		if err != nil {
			return fmt.Errorf("opening the executor %s: %w", name, err)
		}
		if x == nil {
			return fmt.Errorf("the executor %s is nil", name)
		}
		s.executors = append(s.executors, x) // Close closes it, also after an error
		if got := x.Name(); got != name {
			return fmt.Errorf("the executor %s has the name %q", name, got)
		}
	}
	return nil
}

func (s *Service) openClaude(process command.Options, known []executor.Model) (executor.Executor, error) {
	o := claude.Options{Program: s.config.Agent.Claude, Process: process}
	if len(known) > 0 {
		o.Known = append(claude.Models(), known...)
	}
	return claude.New(o)
}

// parseModels parses additional models, as EXECUTOR=MODEL, and groups them by executor.
func parseModels(words []string) (map[string][]executor.Model, error) {
	all := make(map[string][]executor.Model)
	names := []string{claude.Name, codex.Name, gemini.Name, acp.Name} // Cursor lists all of its models
	for _, word := range words {
		name, model, _ := strings.Cut(word, "=")
		if !slices.Contains(names, name) || model == "" {
			return nil, fmt.Errorf("agent.models: %q is not EXECUTOR=MODEL, with one of %s", word, strings.Join(names, ", "))
		}
		all[name] = append(all[name], executor.Model{ID: model, Name: model})
	}
	return all, nil
}

// programs returns a suffix for the cache of health checks that differs between configured
// programs. Results for one program are not valid for another. It is empty for the default
// programs.
func (s *Service) programs() string {
	a := s.config.Agent
	all := append([]string{a.Cursor, a.Claude}, slices.Concat([]string{a.Codex, a.Gemini, a.ACP, a.ACPLogin}, a.ACPArgs)...)
	for len(all) > 2 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	if strings.Join(all, "") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
	return "-" + hex.EncodeToString(sum[:4])
}

func (s *Service) rank(x executor.Executor) int {
	if x.Name() == s.config.Agent.Executor {
		return 0
	}
	return 1
}

// probeSize is larger than an empty history with its log and index, in bytes.
const probeSize = 1 << 20

// stateDir returns a writable directory for the state of a project, and creates it. It is not in
// the cache, because worktrees can contain unsaved work of agents. It is not in the project, where
// agents would find it.
func stateDir(environ []string, project string) (string, error) {
	base := config.Lookup(environ, StateHome)
	if !filepath.IsAbs(base) {
		var err error
		if base, err = userStateDir(environ); err != nil {
			return "", fmt.Errorf("finding a directory for the history: %w; set XDG_STATE_HOME", err)
		}
	}
	sum := sha256.Sum256([]byte(project))
	dir := filepath.Join(base, "dougu", "kuromajutsu", filepath.Base(project)+"-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("creating the directory for the history: %w; set XDG_STATE_HOME", err)
	}
	probe, err := os.CreateTemp(dir, ".dougu-*") // detects a disk that is read-only or full
	if err == nil {
		_, err = probe.Write(make([]byte, probeSize))
		err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return "", fmt.Errorf("writing to the directory for the history: %w; set XDG_STATE_HOME", err)
	}
	return dir, nil
}

func userStateDir(environ []string) (string, error) {
	if runtime.GOOS == "windows" {
		if dir := config.Lookup(environ, "LocalAppData"); dir != "" {
			return dir, nil
		}
		return "", errors.New("%LocalAppData% is not set")
	}
	home := config.Lookup(environ, "HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("$HOME is not set")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "state"), nil
}
