package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/editor/neovim"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/editor/vscode"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/terminal"
)

// instructions tell a model how to use the server as a whole. Sentences about tools that a profile leaves out are removed when the
// tools are installed.
func (s *service) instructions(readOnly, strict bool) string {
	told := "Paths are relative to the project's root; lines and columns count from 1. "
	if strict {
		return told + "Fix errors with get_diagnostics, get_quick_fixes, apply_quick_fix." + s.rights()
	}
	if !readOnly {
		told += "Edits return a sha256 and the errors that they cause: pass the sha256 as expectedSha256 of the next edit. "
	}
	told += "get_diagnostics shows errors. Fix them with get_quick_fixes and apply_quick_fix."
	if !readOnly {
		told += " A command that outlives its call returns a processId for read_process_output."
	}
	return told + s.rights()
}

// strictWait is the longest time that a call of the specification waits for a command: as long as its largest timeout.
const strictWait = 24 * time.Hour

// service is the server with the tools that the settings select.
type service struct {
	config    Config
	log       *slog.Logger
	root      *security.Root
	audit     *audit.Log
	sets      []tools.Set        // the installed tool sets
	editors   []adapter.Adapter  // all adapters; the set of code tools closes them
	adapters  []adapter.Adapter  // adapters before open has given them to the set; close closes them
	headless  *headless.Headless // the adapter for language servers; it is among the adapters
	grammars  *source.Parsers
	parsers   *source.Parsers // for the symbol tools; nil if the settings do not enable them
	sandbox   *sandbox.Sandbox
	debugger  *debug.Debugger // nil if the settings do not enable it
	unity     *unity.Unity    // nil if the settings do not enable it
	server    *app.Server
	installed *tools.Installation
}

// openService opens the project, the editors and the tools. The caller closes the service.
func openService(ctx context.Context, o *options, start app.Start) (_ *service, err error) {
	s := new(service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	if err := checkProfile(o.profile); err != nil {
		return nil, err
	}
	if o.strict, err = strictInterface(); err != nil {
		return nil, err
	}
	if s.config, err = o.load(); err != nil {
		return nil, err
	}
	if s.audit, err = s.openAudit(start.Serves() && !o.readOnly, start.Log); err != nil {
		return nil, err
	}
	changes, limits := s.audit, tools.Limits{MaxFile: s.config.MaxFileSize}
	if o.profile == profileStrict {
		// The specification has one record for each operation, at its end, and answers that are limited by maxSize alone.
		changes, limits.Answer = nil, limits.WithDefaults().MaxAnswer
	}
	s.root, err = security.OpenRoot(security.RootOptions{
		Dirs: []string{s.config.ProjectRoot}, ReadOnly: o.readOnly, RemovedInState: true, Audit: changes, Logger: start.Log, Blocked: security.DefaultBlocked(),
	})
	if err != nil {
		return nil, err
	}
	env := tools.Env{Root: s.root, Log: start.Log, Audit: changes, Seen: new(tools.Ledger), Limits: limits}
	if err := s.open(ctx, env, o); err != nil {
		return nil, err
	}
	s.server = start.NewServer(mcp.Implementation{
		Name: "editor", Title: "Editor", Version: version, Description: "Edits, runs, builds, diagnoses, fixes and formats the code of a project.",
	}, &mcp.ServerOptions{Instructions: s.instructions(o.readOnly, o.profile == profileStrict), Log: s.log})
	s.installed, err = tools.Install(s.server.Server, "editor", o.shape(s.config, s.server.LogCalls, tools.Record(s.audit, s.log)), s.sets...)
	return s, err
}

// open opens the sandbox and the adapters, and makes the tool sets. A read-only server gets neither
// commands nor the debugger.
func (s *service) open(ctx context.Context, env tools.Env, o *options) error {
	files, err := fs.New(env, fs.Options{Project: fs.Project{Toolsets: []string{"fs", "editor", "terminal"}}})
	if err != nil {
		return err
	}
	s.sets = append(s.sets, files)
	// Without a helper, commands run without a sandbox. If the settings require one, openSandbox returns an error.
	if err := s.openSandbox(ctx, env.Log, o); err != nil {
		return err
	}
	if s.log, err = s.openAdapters(env.Log, o); err != nil {
		return err
	}
	env.Log = s.log
	feedback := time.Duration(s.config.FeedbackMs) * time.Millisecond
	if feedback == 0 {
		feedback = -1
	}
	cache, _ := s.root.CacheDir("grammars")
	var first []source.Parser
	if o.parsers != nil {
		first = o.parsers()
	}
	s.grammars = builtin.Parsers(builtin.Options{CacheDir: cache, First: first, Precise: true})
	if s.config.offersSymbols(o.profile) {
		if o.parsers != nil {
			first = o.parsers()
		}
		s.parsers = builtin.Parsers(builtin.Options{CacheDir: cache, First: first})
	}
	code, err := editor.New(ctx, env, editor.Options{Adapters: s.adapters, Parsers: s.parsers, Syntax: syntax.New(syntax.FromSource(s.grammars)), BuildTool: o.buildTool(), Feedback: feedback, FixEdits: o.profile == profileStrict})
	if err != nil {
		return err
	}
	s.editors, s.adapters = s.adapters, nil // they are closed with the set
	s.sets = append(s.sets, code)
	if err := s.openUnityTools(env); err != nil {
		return err
	}
	if s.config.Git.Enabled {
		repository, err := git.New(ctx, env, git.Options{Hooks: s.config.Git.Hooks, LocalRemotes: s.config.Git.LocalRemotes})
		if err != nil {
			return err
		}
		s.sets = append(s.sets, repository)
	}
	if o.readOnly {
		return nil
	}
	c := s.config.Commands
	policy := &command.Policy{Allowed: c.Allowed, Denied: c.Denied, Dirs: s.root.Dirs()}
	options := terminal.Options{
		Policy: policy, Sandbox: s.sandbox, Timeout: time.Duration(s.config.DefaultTimeout) * time.Millisecond,
		Offers: o.shape(s.config).Offers,
	}
	if o.profile == profileStrict {
		options.Policy, options.MaxWait = newStrictPolicy(policy), strictWait
	}
	commands, err := terminal.New(ctx, env, options)
	if err != nil {
		return err
	}
	s.sets = append(s.sets, commands)
	return s.openDebugger(ctx, env, policy)
}

// openAdapters opens the connections to the editors in the settings, and always the adapter
// headless, which runs language servers. The tools try the adapters in the order of s.adapters.
// With VS Code among the editors, the returned log also writes to VS Code.
func (s *service) openAdapters(log *slog.Logger, o *options) (*slog.Logger, error) {
	servers, err := languageServers(s.config.LanguageServers)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{editorVSCode, editorNeovim, editorEmacs, editorJetBrains} {
		if o.adapters[name] != nil {
			return nil, fmt.Errorf("an additional editor cannot have the name %s of an editor of this library", name)
		}
	}
	for _, name := range s.config.Editors {
		switch name {
		case editorVSCode:
			windows := vscode.New(vscode.Options{Root: s.root.Dirs()[0], Dirs: s.root.Dirs()[1:], Name: "editor", Version: version, Log: log})
			s.adapters = append(s.adapters, windows)
			log = slog.New(slog.NewMultiHandler(log.Handler(), redact.NewHandler(windows.Handler(slog.LevelInfo), nil)))
		case editorNeovim:
			s.adapters = append(s.adapters, neovim.New(neovim.Options{Root: s.root.Dirs()[0], Dirs: s.root.Dirs()[1:], Name: "editor", Log: log}))
		case editorEmacs:
			s.adapters = append(s.adapters, emacs.New(emacs.Options{Log: log}))
		case editorJetBrains: // see below
		default:
			if err := s.openAdditional(name, o.adapters[name], log); err != nil {
				return nil, err
			}
		}
	}
	if err := s.openUnity(log); err != nil {
		return nil, err
	}
	s.headless = headless.New(s.root, headless.Options{
		Servers: servers, TrustProject: s.config.TrustProject, TrustFlag: "-trust-project", Sandbox: s.sandbox,
		InstallCommand: serverinstaller.InstallCommand("editor"),
		MaxMemory:      int64(s.config.LanguageServerMemory) << 20, MemoryFlag: "-language-server-memory", Log: log,
	})
	s.adapters = append(s.adapters, s.headless)
	// The JetBrains IDE comes after headless: language servers receive the current text of a file, the IDE may not have it.
	return log, s.openJetBrains(log)
}

// openAdditional opens an adapter of the program that uses this package.
func (s *service) openAdditional(name string, open func(*security.Root, *slog.Logger) (adapter.Adapter, error), log *slog.Logger) error {
	if open == nil {
		return fmt.Errorf("opening the editor %s: there is no function that opens it", name)
	}
	a, err := open(s.root, log)
	switch {
	case err != nil:
		return fmt.Errorf("opening the editor %s: %w", name, err)
	case a == nil:
		return fmt.Errorf("the adapter of the editor %s is nil", name)
	}
	s.adapters = append(s.adapters, a) // close closes it, also after an error
	if got := a.Name(); got != name {
		return fmt.Errorf("the adapter of the editor %s has the name %q", name, got)
	}
	return nil
}

// close waits for running calls and closes all parts, also of a service that openService has opened
// only in part.
func (s *service) close(ctx context.Context) error {
	var failed []error
	if s.installed != nil {
		failed = append(failed, s.installed.Close(ctx))
	} else {
		for _, set := range s.sets {
			failed = append(failed, set.Close(ctx))
		}
	}
	for _, a := range s.adapters {
		failed = append(failed, a.Close(ctx))
	}
	for _, parsers := range []*source.Parsers{s.grammars, s.parsers} {
		if parsers != nil {
			failed = append(failed, parsers.Close())
		}
	}
	if s.root != nil {
		failed = append(failed, s.sandbox.Close(), s.root.Close())
	}
	if s.audit != nil {
		failed = append(failed, s.audit.Close())
	}
	return errors.Join(failed...)
}
