package debug

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

// The modes of debug_start.
const (
	ModeProgram = "program" // a source file or package, which the adapter builds if need be
	ModeTest    = "test"    // its tests
	ModeBinary  = "binary"  // an executable file
	ModeAttach  = "attach"  // a running process
)

func modes() []string { return []string{ModeProgram, ModeTest, ModeBinary, ModeAttach} }

// Adapter says how a debugger is run that speaks the Debug Adapter Protocol.
type Adapter struct {
	// Name identifies the adapter in debug_start. It is also passed to the adapter as its ID.
	Name string
	// Extensions are the extensions of its source files, for example ".go".
	Extensions []string
	// Command is the program: a name, which is looked for on PATH but not in the project, or an absolute path. Args are its
	// arguments; {temp} in them is a directory of the session.
	Command string
	Args    []string
	// Env are variables that are set for it, NAME=value, beside Options.Env.
	Env []string
	// Announces is the text that the adapter prints before the loopback address on which it listens. It is empty for an adapter
	// that uses standard input and output.
	Announces string
	// Launches are the modes that it has, by ModeProgram and its like.
	Launches map[string]Launch
	// Evaluates is the command that an expression stands for where the policy of commands is asked, if expressions of the
	// language can run commands; {expression} in it is the expression.
	Evaluates []string
	// Install says how to get it.
	Install string
	// Probe are arguments with which the command succeeds where the debugger is installed, if it can be there without one.
	Probe []string
}

// Launch describes how to start an adapter in one mode.
//
// Strings may contain placeholders: {program}, {dir} (the directory of the program), {cwd}, {temp} (a directory that is removed
// with the session) and {expression}. A complete string may be {args}, {env}, {stopOnEntry} or {pid}, which are replaced by a
// list, an object, a boolean and a number. "{args...}" in a list stands for all arguments. A member whose placeholder has no
// value is omitted.
type Launch struct {
	// Attributes are the arguments of the request launch, or attach.
	Attributes map[string]any
	// As is the command that this stands for where the policy of commands is asked.
	As []string
	// InDir starts the program in its own directory rather than that of the project, if the call says nothing.
	InDir bool
	// Entry is a function at which a program stops that is to stop when it begins. Empty leaves that to the adapter.
	Entry string
}

// DefaultAdapters are Delve, for Go, and debugpy, for Python.
func DefaultAdapters() []Adapter {
	return []Adapter{delve(), debugpy()}
}

func delve() Adapter {
	common := func(mode string, more map[string]any) map[string]any {
		attributes := map[string]any{
			"mode": mode, "program": "{program}", "args": "{args}", "cwd": "{cwd}", "env": "{env}", "stopOnEntry": "{stopOnEntry}",
		}
		for name, value := range more {
			attributes[name] = value
		}
		return attributes
	}
	built := map[string]any{
		"output": "{temp}/program", "dlvCwd": "{dir}", // Delve would leave the program in the project if it is killed.
		"buildFlags": []any{"-trimpath=false"}, // With -trimpath in GOFLAGS, breakpoints would not find their files.
	}
	return Adapter{
		Name: "delve", Extensions: []string{".go"}, Command: "dlv", Args: []string{"dap", "--listen=127.0.0.1:0"}, Announces: "DAP server listening at: ",
		Launches: map[string]Launch{
			ModeProgram: {Attributes: common("debug", built), As: []string{"go", "run", "{program}", "{args...}"}, Entry: "main.main"},
			ModeTest:    {Attributes: common("test", built), As: []string{"go", "test", "{program}", "{args...}"}, InDir: true},
			ModeBinary:  {Attributes: common("exec", nil), As: []string{"{program}", "{args...}"}, Entry: "main.main"},
			ModeAttach:  {Attributes: map[string]any{"mode": "local", "processId": "{pid}"}},
		},
		Install: "go install github.com/go-delve/delve/cmd/dlv@latest",
	}
}

func debugpy() Adapter {
	common := func(more map[string]any) map[string]any {
		attributes := map[string]any{
			"cwd": "{cwd}", "env": "{env}", "stopOnEntry": "{stopOnEntry}", "console": "internalConsole", "redirectOutput": true, "subProcess": false,
			"variablePresentation": map[string]any{"special": "hide", "function": "hide", "class": "hide"},
		}
		for name, value := range more {
			attributes[name] = value
		}
		return attributes
	}
	return Adapter{
		Name: "debugpy", Extensions: []string{".py"}, Command: "python3", Args: []string{"-m", "debugpy.adapter"},
		Env: []string{"PYDEVD_INTERRUPT_THREAD_TIMEOUT=20"}, // seconds, after which it gives an evaluation up
		Launches: map[string]Launch{
			ModeProgram: {Attributes: common(map[string]any{"program": "{program}", "args": "{args}"}), As: []string{"python3", "{program}", "{args...}"}},
			ModeTest:    {Attributes: common(map[string]any{"module": "pytest", "args": []any{"{program}", "{args...}"}}), As: []string{"python3", "-m", "pytest", "{program}", "{args...}"}},
			ModeAttach:  {Attributes: map[string]any{"processId": "{pid}"}},
		},
		Evaluates: []string{"python3", "-c", "{expression}"},
		Install:   "apt-get install python3-debugpy, or pip install debugpy",
		Probe:     []string{"-c", "import debugpy"},
	}
}

// Installed is the program of each adapter, by its name, or "" where it is not installed. Some have to be run to know.
func (d *Debugger) Installed(ctx context.Context) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	found := make(map[string]string, len(d.options.Adapters))
	for _, a := range d.options.Adapters {
		command, err := d.lookUp(a)
		if err == nil && len(a.Probe) > 0 {
			cmd := exec.CommandContext(ctx, command, a.Probe...)
			cmd.Dir, cmd.Env = os.TempDir(), d.base
			err = cmd.Run()
		}
		if found[a.Name] = command; err != nil {
			found[a.Name] = ""
		}
	}
	return found
}

// probing is how long it may take to find out which debuggers are installed.
const probing = 20 * time.Second

// lookUp finds the program of an adapter: see Adapter.Command.
func (d *Debugger) lookUp(a Adapter) (string, error) {
	missing := problem(codeNoDebugger, "Ask the user to install it: "+a.Install, "%s, which debugs with %s, is not installed", quote(a.Command), a.Name)
	if strings.ContainsAny(a.Command, `/\`) {
		found, err := exec.LookPath(a.Command)
		if err != nil || !filepath.IsAbs(found) {
			return "", missing
		}
		return found, nil
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, a.Command))
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(found); err == nil && !d.inProject(real) {
			return found, nil
		}
	}
	return "", missing
}

func (d *Debugger) inProject(name string) bool {
	return slices.ContainsFunc(d.root.Dirs(), func(dir string) bool {
		rel, err := filepath.Rel(dir, name)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

// target is the program to debug.
type target struct {
	adapter Adapter
	command string // of the adapter, absolute
	mode    string
	program string // absolute; "" to attach
	path    string // for people and other calls
	dir     string // of the program
}

// choose selects the adapter for the program to debug.
func (d *Debugger) choose(ctx context.Context, args *StartArgs) (t target, err error) {
	t.mode = args.Mode
	var names []string // of the files that say the language
	if args.Mode != ModeAttach {
		if args.Program == "" {
			return t, invalid("Give the program: a source file, a package's directory, or an executable.", "there is no program")
		}
		info, err := d.root.Stat(ctx, args.Program)
		if err != nil {
			return t, err
		}
		t.path = info.Path
		t.program = filepath.Join(d.root.Dirs()[info.Dir], filepath.FromSlash(info.Rel))
		if t.dir = t.program; info.Kind != security.Directory {
			t.dir = filepath.Dir(t.program)
			names = []string{path.Base(info.Path)}
		} else if names, err = d.list(ctx, args.Program); err != nil {
			return t, err
		}
	}
	if t.adapter, err = d.adapterFor(args, names); err != nil {
		return t, err
	}
	if t.mode == "" {
		t.mode = ModeProgram
		if !speaks(t.adapter, names) {
			t.mode = ModeBinary
		}
	}
	if _, ok := t.adapter.Launches[t.mode]; !ok {
		return t, invalid("Choose another mode or adapter.", "%s has no mode %s", t.adapter.Name, quote(t.mode))
	}
	if t.mode == ModeTest && len(names) == 1 && t.adapter.Launches[ModeTest].InDir {
		t.program = t.dir // tests belong to a directory
	}
	t.command, err = d.lookUp(t.adapter)
	return t, err
}

// list names files of a directory.
func (d *Debugger) list(ctx context.Context, name string) ([]string, error) {
	dir, err := d.root.OpenDir(ctx, name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var names []string
	for len(names) < maxListed {
		entries, err := dir.Next(ctx, maxListed)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Kind == security.RegularFile {
				names = append(names, e.Name)
			}
		}
	}
	return names, nil
}

// maxListed is how many files of a directory are looked at for its language.
const maxListed = 1000

func speaks(a Adapter, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(a.Extensions, strings.ToLower(path.Ext(name))) })
}

func (d *Debugger) adapterFor(args *StartArgs, names []string) (Adapter, error) {
	var known []string
	for _, a := range d.options.Adapters {
		known = append(known, a.Name)
		switch {
		case args.Adapter != "":
			if a.Name == args.Adapter {
				return a, nil
			}
		case args.Mode != ModeAttach && speaks(a, names):
			return a, nil
		}
	}
	if args.Adapter == "" && args.Mode != ModeProgram && args.Mode != ModeTest && (args.Mode == ModeAttach || len(names) == 1) {
		for _, a := range d.options.Adapters { // the first adapter that accepts any executable
			if _, ok := a.Launches[ModeBinary]; ok {
				return a, nil
			}
		}
	}
	next := "Name one with adapter: " + strings.Join(known, ", ") + "."
	if args.Adapter != "" {
		return Adapter{}, problem(codeNoDebugger, next, "there is no adapter %s", quote(args.Adapter))
	}
	return Adapter{}, problem(codeNoDebugger, next, "no adapter is known for %s", quote(args.Program))
}
