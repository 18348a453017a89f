// Package executor is what runs agents: the Executor interface, what it is given and
// what it tells. Packages cursor, claude, codex and gemini beneath it run the Cursor
// CLI, Claude Code, the Codex CLI and the Gemini CLI, package acp any program that
// speaks the Agent Client Protocol, and package command holds what programs on this
// machine have in common.
package executor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// Executor runs agents of one kind, as many at once as it is asked to. It may be used concurrently.
type Executor interface {
	// Name is how settings and records call it, such as "cursor".
	Name() string
	// Models answers the models that can be used. ErrUnavailable says that the program is not there, or not logged in.
	Models(ctx context.Context) ([]Model, error)
	// Run runs an agent to its end and hands on what it tells, in order and never concurrently. The end of ctx ends the agent with all that it has
	// started; Run returns only once nothing of it is left. The error is for what could not be begun; how an agent ended that did begin, is in
	// Exit.
	Run(ctx context.Context, s Spec, tell func(Event)) (Exit, error)
	// Close releases what the executor holds. No Run is running then.
	Close() error
}

// Remote is an Executor whose agents run elsewhere, where they may have to wait for a place: they run from Placed on, and wait
// again from Waiting on, which takes nothing of their time.
type Remote interface {
	Executor
	// Remote does nothing.
	Remote()
}

// Local is an Executor whose program is on this machine.
type Local interface {
	Executor
	// Find looks the program up, as Run does, without running it. The error wraps ErrUnavailable.
	Find() error
}

// Find reports whether the program of an executor is there still: ErrUnavailable if not, nil also for an executor that does not know.
// An executor that wraps another one has a method Unwrap.
func Find(e Executor) error {
	for e != nil {
		if local, ok := e.(Local); ok {
			return local.Find()
		}
		wrapper, ok := e.(interface{ Unwrap() Executor })
		if !ok {
			return nil
		}
		e = wrapper.Unwrap()
	}
	return nil
}

// Errors of executors, to be wrapped with what was being done and what to do about it.
var (
	// ErrUnavailable is an executor whose program is not installed or cannot be used at all.
	ErrUnavailable = errors.New("the agent program cannot be used")
	// ErrUnauthenticated is a program that nobody has logged in.
	ErrUnauthenticated = errors.New("the agent program is not logged in")
	// ErrLost is an agent of which nothing is heard any more, since what ran it has died or cannot be reached: how far it has come
	// is not known.
	ErrLost = errors.New("the agent was lost")
	// ErrUnknownModel is a model that the program does not have.
	ErrUnknownModel = errors.New("the model is not available")
	// ErrShutdown is the cause of the end of a context of Run when the server stops. The executor then has less than a second.
	ErrShutdown = errors.New("the server was stopped")
)

// Model is one that an executor can use.
type Model struct {
	ID      string `json:"id"`
	Name    string `json:"name"` // for people
	Default bool   `json:"default,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// Spec is what an agent is given.
type Spec struct {
	// AgentID names the run, for files and processes that belong to it. Health checks have one, too.
	AgentID string
	Model   string
	// Prompt is all that the agent is told.
	Prompt string
	// Dir is the absolute path of the directory in which it works.
	Dir string
	// ReadOnly forbids changes, by the means that the program has.
	ReadOnly bool
	// Trust lets it work without questions: it may change files, run commands and use MCP servers.
	Trust bool
	// Tools are permissions in the program's own words, such as "Shell(git)"; none leaves the program's own.
	Tools []string
	// Env are further variables for the agent and what it starts, as NAME=value.
	Env []string
	// Resume is the session to go on with.
	Resume string
	// Servers are MCP servers that the agent is to have beside its own.
	Servers []Server
}

// Server is an MCP server that an agent starts as a program.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     []string // NAME=value
}

// Kind is what an Event tells.
type Kind string

// The kinds.
const (
	// Init is the beginning of a session: Session, Model (as it is shown to people).
	Init Kind = "init"
	// Prompted says that the prompt has arrived.
	Prompted Kind = "prompted"
	// Thinking says that the model is at work. Text may tell of what.
	Thinking Kind = "thinking"
	// Delta adds Text to what the assistant is saying; Said replaces it by Text, which is a whole message.
	Delta Kind = "delta"
	Said  Kind = "said"
	// ToolStarted and ToolCompleted are a call of a tool: Tool.
	ToolStarted   Kind = "tool_started"
	ToolCompleted Kind = "tool_completed"
	// Finished is the agent's own end: Text is its last word, Failed whether it failed, Usage what it cost.
	Finished Kind = "finished"
	// Line is a line of output that is no event, Unknown an event that is not known: Text is at most 4 KB of it.
	Line    Kind = "line"
	Unknown Kind = "unknown"
	// Output is what was printed, as it came: Stream and Data, which is valid only during the call.
	Output Kind = "output"
	// Placed is the beginning of a run elsewhere: Runner, Attempt. Waiting says that such a run was lost, why (Text), and that it waits to
	// be run again.
	Placed  Kind = "placed"
	Waiting Kind = "waiting"
	// Silence says that nothing was heard for as long as Silent; Heard that this is over.
	Silence Kind = "silence"
	Heard   Kind = "heard"
)

// Event is something that an agent tells. Which fields are set follows from Kind.
type Event struct {
	Kind    Kind
	At      time.Time
	Session string
	Model   string
	Text    string
	Tool    *Tool
	Failed  bool
	Usage   *record.Usage
	// Cumulative says that Usage counts all of the session, the runs before this one that went on with it, too.
	Cumulative bool
	Stream     record.Stream
	Data       []byte
	Silent     time.Duration
	// Runner is what runs the agent, Attempt how many times it was begun.
	Runner  string
	Attempt int
}

// Tool is a call of a tool, as an agent tells of it.
type Tool struct {
	CallID string
	// Type is the program's name of the kind of tool, such as "editToolCall".
	Type string
	// Args are its arguments, as JSON, long strings in them shortened: at most 16 KB, and of MCP tools 64 KB, without what is
	// wrapped around them. Nothing if they have more without long strings.
	Args json.RawMessage
	// Server and Name are those of an MCP tool.
	Server, Name string
	// Failed and Error say how a completed call failed: "rejected: …", "exit code 1: …".
	Failed bool
	Error  string
	// Changes are files that a completed call has changed, Diff how, as far as the program tells: at most 256 KB.
	Changes []FileChange
	Diff    string
}

// FileChange is a file that a tool has changed. Path is as the program wrote it; Kind is that of record.Change.
type FileChange struct{ Path, Kind string }

// Exit is how an agent has ended.
type Exit struct {
	// Finished says that the agent has told its own end, whatever became of its process.
	Finished bool
	// Failed says that it told of a failure, or that its process failed without telling.
	Failed bool
	// Code is the exit code of the process, Signal what ended it.
	Code   int
	Signal string
	// Message is why it failed, as the program said it: the end of its standard error, or what was found in it.
	Message string
	// Cause is one of the errors of this package, if the failure is known for what it is.
	Cause error
	// Leftover says that processes which the agent had started were still there and were ended.
	Leftover bool
}
