package agents

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// Roles are what agents can be asked to be: a *roles.Book.
type Roles interface {
	Role(id string) (roles.Role, bool)
	Roles() []roles.Role
}

// Health knows which roles can be used: a *health.Checker.
type Health interface {
	// Wait waits until a role was checked, and answers its state; when ctx ends before, that of now with the error of ctx.
	Wait(ctx context.Context, roleID string) (health.State, error)
	States() []health.State
}

// Options say how agents are run. Executors and Roles are needed. What is given here stays the caller's to close.
type Options struct {
	// Executors run roles by their names; the first is that of roles that name none.
	Executors []executor.Executor
	Roles     Roles
	// Health is asked before an agent is run. nil: every role can be used.
	Health Health

	// Store keeps groups and agents, Log tells what happens, Outputs keeps what agents write. What is nil is kept in memory.
	Store   record.Store
	Log     record.Log
	Outputs record.Outputs

	// Peers tells servers on several machines that share Store which of them live: the agents of those that do not are put down as
	// failed. nil: all are on this machine.
	Peers Peers

	// MaxConcurrent is how many agents run at once. Default 10. Agents that wait for agents of their own do not count.
	MaxConcurrent int
	// MaxQueued is how many more may wait for a place or for others. Default 200.
	MaxQueued int
	// MaxPerHour is how many agents the main agent, and each agent, may order in an hour. Default 300.
	MaxPerHour int
	// MaxDepth is how many levels of agents there may be. Default 1: agents run no agents.
	MaxDepth int
	// Timeout bounds how long an agent runs if neither its order nor its role says so. Default 5 minutes.
	Timeout time.Duration
	// Stagger is the least time between two starts: programs that start together race for their settings. Default 300 ms;
	// less than 0 is none.
	Stagger time.Duration
	// Patience is the longest that a call waits, less than what clients wait for an answer. Default 50 s.
	Patience time.Duration
	// FailedDependency is what becomes of an agent that depends on one that has not completed: FailDependents, the
	// default, or RunDependents, which are told of it.
	FailedDependency string

	// Prices are those of models, for runs that do not tell their cost; see Price.
	Prices map[string]Price
	// Notify hears of what people may want to know: the end of an agent, one that stalls, and a result that comes after the end. It
	// must not wait for anything.
	Notify func(record.Event, record.Agent)
	// StateDir holds git worktrees, and what tells the agents of this server from those of another one of this machine that
	// shares Store and must share StateDir, too. Default: a directory in the user's cache directory.
	StateDir string

	// Child makes a server of this program's that agents have beside their own.
	Child Child
	// ServerName is how that server is called there. Default "kuromajutsu".
	ServerName string
}

// What becomes of agents whose dependencies fail.
const (
	FailDependents = "fail"
	RunDependents  = "run"
)

// Child is the MCP server by which agents report: a program that hands on what it is asked to ParentURL, with the token of its
// environment. The zero value is none; then reports are read from what agents write.
type Child struct {
	Command string
	Args    []string
	// ParentURL is where Nested is served; nil or "" is nowhere.
	ParentURL func() string
}

const (
	defaultConcurrent = 10
	defaultQueued     = 200
	defaultPerHour    = 300
	defaultDepth      = 1
	defaultTimeout    = 5 * time.Minute
	defaultStagger    = 300 * time.Millisecond
	defaultPatience   = 50 * time.Second
	defaultServerName = "kuromajutsu"
)

func (o Options) withDefaults() Options {
	number := func(n *int, usual int) {
		if *n <= 0 {
			*n = usual
		}
	}
	duration := func(d *time.Duration, usual time.Duration) {
		if *d <= 0 {
			*d = usual
		}
	}
	number(&o.MaxConcurrent, defaultConcurrent)
	number(&o.MaxQueued, defaultQueued)
	number(&o.MaxPerHour, defaultPerHour)
	number(&o.MaxDepth, defaultDepth)
	duration(&o.Timeout, defaultTimeout)
	duration(&o.Patience, defaultPatience)
	if o.Stagger == 0 {
		o.Stagger = defaultStagger
	}
	if o.FailedDependency == "" {
		o.FailedDependency = FailDependents
	}
	if o.ServerName == "" {
		o.ServerName = defaultServerName
	}
	return o
}
