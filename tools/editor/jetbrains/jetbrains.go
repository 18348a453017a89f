package jetbrains

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// Options say how to reach an IDE. The zero value uses the first launcher that is found.
type Options struct {
	// Root is the directory of the project, as the IDE has it open. The MCP server is used only for files in it, and not at all
	// without it.
	Root string
	// Launcher is the command-line launcher: a path, or a name that is searched in $PATH and in the scripts directory of
	// Toolbox. Empty is the first known launcher that is found; "-" is none.
	Launcher string
	// WebServer is the URL of the built-in web server, for example http://127.0.0.1:63342. Its host must be this machine. Empty
	// is none.
	WebServer string
	// Server connects to the MCP server of the IDE: a httpclient.Client for its URL, or a transport.Command. Nil is none.
	Server protocol.Transport
	// Format turns on the formatting of documents, by the command format of the launcher. nil: documents are not formatted.
	Format *Format
	// Name and Version identify this program to the MCP server.
	Name, Version string
	// Log receives opened and closed connections. nil disables logging.
	Log *slog.Logger
}

// Format says how documents are laid out.
type Format struct {
	// Settings is a file with a code style, as the IDE exports it. Empty is the default style of the IDE: that of the project is not
	// used, because the document is laid out outside of it.
	Settings string
}

// JetBrains is an IDE, or several. It must be closed.
type JetBrains struct {
	options Options
	web     *webServer // the built-in web server; nil: not used
	server  *server    // the MCP server; nil: not used. connected returns false and open returns an error for nil
	ctx     context.Context
	cancel  context.CancelFunc
	jobs    group.Group
	started group.Group // programs that may be the IDE itself
	news    *presence.Announcer
}

const (
	// launchTimeout is the time for a launcher that hands a file over to a running IDE. A launcher that runs longer is the IDE itself.
	launchTimeout = 10 * time.Second
	// connectTimeout is the time for which New waits for the first attempt to connect to the MCP server. The attempts then go on in
	// the background.
	connectTimeout = 500 * time.Millisecond
	// farewell is the time for which Close waits for launchers.
	farewell     = time.Second
	maxErrorText = 500 // bytes
)

// New makes the adapter.
func New(o Options) (*JetBrains, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Name == "" {
		o.Name = "dougu"
	}
	if real, err := filepath.EvalSymlinks(o.Root); err == nil && o.Root != "" {
		o.Root = real
	}
	web, err := newWebServer(o.WebServer)
	if err != nil {
		return nil, fmt.Errorf("making the adapter for JetBrains: %w", err)
	}
	j := &JetBrains{options: o, web: web, news: presence.NewAnnouncer()}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	j.jobs.Keep(j.ctx, func() { j.news.Run(j.ctx) })
	if o.Server != nil && o.Root != "" {
		j.server = newServer(o, j.news.Announce)
		j.jobs.Keep(j.ctx, func() { j.server.run(j.ctx) })
		// Wait a moment, so that the first call of a tool finds the connection of an IDE that responds quickly.
		select {
		case <-j.server.tried: // closed after the first attempt
		case <-time.After(connectTimeout):
		}
	}
	return j, nil
}

// Name is "jetbrains".
func (j *JetBrains) Name() string { return "jetbrains" }

// Close leaves the IDE as it is.
func (j *JetBrains) Close(context.Context) error {
	j.cancel()
	j.jobs.Wait()
	j.started.WaitFor(farewell)
	return nil
}

// Watch tells when the MCP server comes or goes.
func (j *JetBrains) Watch(changed func()) (stop func()) { return j.news.Watch(changed) }

// State returns the available interfaces. A launcher counts as running, because it starts the IDE.
func (j *JetBrains) State() adapter.State {
	var ways []string
	if launcher := j.launcher(); launcher != "" {
		ways = append(ways, "files are opened by "+launcher)
	}
	if j.web != nil {
		ways = append(ways, "files are opened by "+j.web.base)
	}
	if j.server != nil {
		if name, ok := j.server.connected(); ok {
			ways = append(ways, "connected to "+name)
		} else {
			ways = append(ways, "its MCP server does not answer")
		}
	}
	s := adapter.State{Running: j.launcher() != "" || j.web != nil, Detail: truncate.Line(strings.Join(ways, "; "), maxErrorText)}
	if _, ok := j.server.connected(); ok {
		s.Running = true
	}
	if s.Detail == "" {
		s.Detail = "no launcher of an IDE is found"
	}
	if !s.Running {
		s.Start = "Have Toolbox or Tools | Create Command-line Launcher of the IDE make a launcher, or turn on its MCP server in Settings | Tools | MCP Server"
	}
	return s
}

// launcher is the path of the launcher; empty if there is none.
func (j *JetBrains) launcher() string {
	switch name := j.options.Launcher; name {
	case "-":
		return ""
	case "":
		for _, name := range launchers {
			if path := findLauncher(name); path != "" {
				return path
			}
		}
		return ""
	default:
		return findLauncher(name)
	}
}

// Open shows a file by the launcher, or else by the web server, or else by the MCP server, which cannot go to a line. If the web
// server fails and the MCP server is connected, Open uses the MCP server.
func (j *JetBrains) Open(ctx context.Context, path string, at *adapter.Position, _ bool) error {
	fail := func(err error) error { return fmt.Errorf("opening %s in an IDE of JetBrains: %w", path, err) }
	if !presence.IsPath(path) {
		return fail(adapter.ErrUnsupported)
	}
	if launcher := j.launcher(); launcher != "" {
		if err := j.launch(ctx, launcher, path, at); err != nil {
			return fail(err)
		}
		return nil
	}
	if j.web != nil {
		err := j.web.open(ctx, path, at)
		if _, ok := j.server.connected(); err == nil || !ok {
			if err != nil {
				return fail(err)
			}
			return nil
		}
	}
	if err := j.server.open(ctx, path); err != nil {
		return fail(err)
	}
	return nil
}

// Active is not known: no interface tells where the cursor is.
func (j *JetBrains) Active(context.Context) (adapter.Active, bool, error) {
	return adapter.Active{}, false, adapter.ErrUnsupported
}
