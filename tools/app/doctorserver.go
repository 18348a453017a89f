package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

const (
	// startTimeout limits the start of a server and the listing of its tools.
	startTimeout = 30 * time.Second
	// maxUsefulTools is the number of tools above which models choose less reliably.
	maxUsefulTools = 40
)

// checkServer starts the server like a client, with the flags of doctor, and lists its
// tools.
func (a *App) checkServer(ctx context.Context) Check {
	c := Check{Name: "server", Status: OK}
	var errs lastLine
	seen, err := a.tryServer(ctx, &errs)
	if err != nil {
		c.Status, c.Detail = Broken, fmt.Sprintf("does not start: %v", err)
		if line := errs.String(); line != "" {
			c.Detail += "; it says: " + line
		}
		c.Next = fmt.Sprintf("\"%s serve\", with the same flags, shows all its messages.", a.Name)
		return c
	}
	c.Detail = seen.String()
	switch {
	case seen.tools == 0:
		c.Status, c.Next = Warning, "It has no tools; check its settings and flags."
	case seen.tools > maxUsefulTools:
		c.Status, c.Next = Warning, fmt.Sprintf("With more than %d tools, models choose worse, and some clients refuse them; turn some off.", maxUsefulTools)
	}
	return c
}

// serverReport is the result of a successful start: the times, the revision, and the number
// and size of the tools.
type serverReport struct {
	started, listed time.Duration
	revision        protocol.Revision
	tools, bytes    int
}

func (s serverReport) String() string {
	return fmt.Sprintf("starts in %v, speaks %s, lists %d tools of %d bytes in %v",
		s.started.Round(time.Millisecond), s.revision, s.tools, s.bytes, s.listed.Round(time.Millisecond))
}

// tryServer starts the server and measures it. errs receives its standard error.
func (a *App) tryServer(ctx context.Context, errs *lastLine) (s serverReport, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	path, err := a.executable()
	if err != nil {
		return s, err
	}
	args, err := a.options.doctor.args()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	client, err := mcp.Connect(ctx, transport.Command{Path: path, Args: append([]string{"doctor", "-" + trialFlag}, args...), Stderr: errs.set},
		mcp.Implementation{Name: a.Name + "-doctor", Version: a.Version}, &mcp.ClientOptions{Timeout: startTimeout})
	if err != nil {
		return s, err
	}
	defer client.Close()
	s.started, s.revision = time.Since(begin), client.Revision()
	if client.Server().Capabilities.Tools == nil {
		return s, nil
	}
	begin = time.Now()
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			return s, err
		}
		definition, err := tool.MarshalJSON()
		if err != nil {
			return s, err
		}
		s.tools++
		s.bytes += len(definition)
	}
	s.listed = time.Since(begin)
	return s, nil
}

// lastLine keeps the last line of a server's standard error, at most 300 bytes.
type lastLine struct {
	mu   sync.Mutex
	line string
}

func (l *lastLine) set(line string) {
	const most = 300
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = strings.ToValidUTF8(line[:min(len(line), most)], "")
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}
