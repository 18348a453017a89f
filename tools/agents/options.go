package agents

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// Roles provides the roles of agents. *roles.Book implements it.
type Roles interface {
	Role(id string) (roles.Role, bool)
	Roles() []roles.Role
}

// Health provides the results of health checks. *health.Checker implements it.
type Health interface {
	// Wait waits until the check of a role has finished and returns its state. If ctx ends first,
	// it returns the current state and the error of ctx.
	Wait(ctx context.Context, roleID string) (health.State, error)
	// States returns the current states of all roles.
	States() []health.State
}

// Options configure the tool set. Executors and Roles are required. The caller closes all values
// that it passes, after the set.
type Options struct {
	// Executors run the agents of roles, selected by their names, which must differ. The first one is the default.
	Executors []executor.Executor
	// Roles are the available roles.
	Roles Roles
	// Health is consulted before an agent starts. nil: every role with an executor can be used.
	Health Health

	// Store keeps groups and agents, Log the events, Outputs the output of agents. Each one that is
	// nil is kept in memory and lost with the process.
	Store   record.Store
	Log     record.Log
	Outputs record.Outputs

	// Peers reports which servers of a shared Store are alive on other machines. Agents of dead
	// servers are marked as failed. nil: all servers run on this machine.
	Peers Peers

	// MaxConcurrent is the largest number of agents that run at once. Default 10. Agents that wait
	// for agents of their own do not count.
	MaxConcurrent int
	// MaxQueued is the largest number of agents that wait for a slot or a dependency. Default 200.
	MaxQueued int
	// MaxPerHour is the number of agents that the main agent of a principal, or one agent, may
	// order in an hour. Default 300.
	MaxPerHour int
	// MaxDepth is the number of levels of agents. Default 1: agents cannot run agents.
	MaxDepth int
	// Timeout limits a run if neither the order nor the role has a timeout. Default 5 minutes.
	Timeout time.Duration
	// Stagger is the shortest time between two starts; some programs fail when they start together,
	// because they write the same settings file. Default 300 ms; a negative value means none.
	Stagger time.Duration
	// WaitTimeout is the longest time that a call waits. It must be shorter than the request
	// timeout of clients. Default 50 s.
	WaitTimeout time.Duration
	// FailedDependency is the behaviour when a dependency does not complete: FailDependents,
	// the default, or RunDependents.
	FailedDependency string

	// Prices are the prices of models, by model ID or by a prefix followed by *. They are used for
	// runs whose executor reports no cost.
	Prices map[string]Price
	// Notify receives the events that people may want to see: the end of an agent, a stalled agent,
	// and a result after the end. It must not block. New calls it for the agents of dead servers.
	Notify func(record.Event, record.Agent)
	// StateDir holds git worktrees and the ownership records of servers. Servers on one machine
	// that share Store must share StateDir. Default: a directory in the user's cache directory.
	StateDir string

	// Child is the MCP server that agents start to call back this server.
	Child Child
	// ServerName is the name of that server in the settings of agents. Default "kuromajutsu".
	ServerName string
}

// Values of Options.FailedDependency.
const (
	FailDependents = "fail" // dependent agents fail, too
	RunDependents  = "run"  // dependent agents run, and their prompts contain the failure
)

// Child is the MCP server that an agent program starts to call back. It forwards calls to ParentURL
// with the token from its environment. The zero value means no server; reports are then read from
// the events of the agent.
type Child struct {
	// Command is the program, Args its arguments.
	Command string
	Args    []string
	// ParentURL returns the URL at which NestedTools are served. nil or an empty result disables
	// the server.
	ParentURL func() string
}

// Defaults of Options.
const (
	defaultConcurrent  = 10                     // running agents
	defaultQueued      = 200                    // queued and blocked agents
	defaultPerHour     = 300                    // orders of an agent in an hour
	defaultDepth       = 1                      // only the main agent can run agents
	defaultTimeout     = 5 * time.Minute        // of an agent
	defaultStagger     = 300 * time.Millisecond // between two starts
	defaultWaitTimeout = 50 * time.Second       // of a call of wait_agent; most clients give up after a minute
	defaultServerName  = "kuromajutsu"          // in the MCP settings of agents
)

// withDefaults returns the options with defaults for unset values.
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
	duration(&o.WaitTimeout, defaultWaitTimeout)
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
