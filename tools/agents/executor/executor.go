// Package executor defines the [Executor] interface, through which package agents runs
// agent programs.
//
// An Executor runs one kind of program. Run receives a [Spec], reports progress as a
// sequence of [Event] values, and returns an [Exit]. A [Local] executor starts a program on
// this machine; a [Remote] one runs agents elsewhere. Errors wrap one of the Err variables,
// so that callers can decide on a fallback.
//
// Packages cursor, claude, codex and gemini run the Cursor CLI, Claude Code, the Codex CLI
// and the Gemini CLI. Package acp runs any program that speaks the Agent Client Protocol.
// Package command contains the shared code for child processes.
//
// An executor of another package is passed to agents.New in Options.Executors, and roles
// select it by its Name. Package executortest tests it.
package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// Executor runs agents of one kind. All methods may be called concurrently, and any number
// of Run calls may be active. An Executor sets no limit of its own; package agents does.
type Executor interface {
	// Name returns the name of the executor in settings, roles and records, such as "cursor". See CheckName.
	Name() string
	// Models returns the available models. The error wraps ErrUnavailable if the program is
	// missing or not logged in.
	Models(ctx context.Context) ([]Model, error)
	// Run runs an agent to its end. It calls tell for each event, in order and never
	// concurrently. The end of ctx ends the agent and all processes that it has started.
	// Run returns only after all of them have ended. An error means that the agent could
	// not be started; Exit describes the end of a started agent.
	Run(ctx context.Context, s Spec, tell func(Event)) (Exit, error)
	// Close releases the resources of the executor. The caller waits for all Run calls
	// first.
	Close() error
}

// Remote is an Executor whose agents run on other machines and may wait for a free runner.
// An agent runs from the event Placed until the event Waiting. Waiting time does not count
// towards the agent's timeout.
type Remote interface {
	Executor
	// Remote marks the type; it does nothing.
	Remote()
}

// Local is an Executor whose program runs on this machine.
type Local interface {
	Executor
	// Find looks up the program like Run, without starting it. The error wraps
	// ErrUnavailable.
	Find() error
}

// Find reports whether the program of an executor still exists. The error wraps
// ErrUnavailable. For an executor that is not Local it returns nil. A wrapping executor
// needs a method Unwrap() Executor.
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

// maxName is the largest length of the name of an executor, in bytes.
const maxName = 64

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// CheckName returns an error unless name can be the name of an executor in settings and roles: 1 to 64 letters, digits,
// - and _, of which the first is a letter or a digit.
func CheckName(name string) error {
	if len(name) > maxName || !validName.MatchString(name) {
		return fmt.Errorf("an executor cannot be named %.100q: a name has 1 to %d letters, digits, - and _, and begins with a letter or a digit", name, maxName)
	}
	return nil
}

// Errors of executors. Wrap them with the operation and the next step.
var (
	// ErrUnavailable means that the program is not installed or not usable.
	ErrUnavailable = errors.New("the agent program cannot be used")
	// ErrUnauthenticated means that the program is not logged in.
	ErrUnauthenticated = errors.New("the agent program is not logged in")
	// ErrLost means that the connection to the agent was lost, because its runner has died
	// or is unreachable. The progress of the agent is unknown.
	ErrLost = errors.New("the agent was lost")
	// ErrUnknownModel means that the program does not offer the model.
	ErrUnknownModel = errors.New("the model is not available")
	// ErrShutdown is the cause of the canceled context of Run when the server stops. The
	// executor then has less than a second to end the agent.
	ErrShutdown = errors.New("the server was stopped")
)

// Model is a model that an executor offers.
type Model struct {
	// ID is the identifier for Spec.Model.
	ID string `json:"id"`
	// Name is the name for people.
	Name string `json:"name"`
	// Default reports the default model of the program.
	Default bool `json:"default,omitempty"`
	// Current reports the model that the user has selected in the program.
	Current bool `json:"current,omitempty"`
}

// Spec describes one run of an agent.
type Spec struct {
	// AgentID identifies the run in names of files and processes. Health checks have one,
	// too.
	AgentID string
	// Model is the ID of the model; empty selects the program's default.
	Model string
	// Prompt is the complete prompt of the agent.
	Prompt string
	// Dir is the absolute path of the working directory.
	Dir string
	// ReadOnly forbids changes, as far as the program can enforce that.
	ReadOnly bool
	// Trust lets the agent change files, run commands and use MCP servers without asking.
	Trust bool
	// Tools are permissions in the notation of the program, such as "Shell(git)". Empty
	// keeps the program's own settings.
	Tools []string
	// Env are additional variables for the agent and its processes, as NAME=value.
	Env []string
	// Resume is the ID of the session to continue; empty begins a new one.
	Resume string
	// Servers are additional MCP servers for the agent.
	Servers []Server
}

// Server is an MCP server that the agent starts as a child process.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     []string // NAME=value
}

// Kind is the type of an Event.
type Kind string

// Values of Kind.
const (
	// Init is the start of a session. Fields: Session, Model (the name for people).
	Init Kind = "init"
	// Prompted reports that the program has received the prompt.
	Prompted Kind = "prompted"
	// Thinking reports that the model is working. Text may describe the work.
	Thinking Kind = "thinking"
	// Delta appends Text to the current message of the assistant.
	Delta Kind = "delta"
	// Said replaces the current message of the assistant by Text, the complete message.
	Said Kind = "said"
	// ToolStarted is the start of a tool call. Field: Tool.
	ToolStarted Kind = "tool_started"
	// ToolCompleted is the end of a tool call. Field: Tool.
	ToolCompleted Kind = "tool_completed"
	// Finished is the end that the agent reports. Fields: Text (the final message), Failed,
	// Usage.
	Finished Kind = "finished"
	// Line is a line of output that is not an event. Text has at most 4 KiB of it.
	Line Kind = "line"
	// Unknown is an event of unknown type. Text has at most 4 KiB of it.
	Unknown Kind = "unknown"
	// Output is raw output of the program. Fields: Stream and Data, which is valid only
	// during the call.
	Output Kind = "output"
	// Placed is the start of a run on another machine. Fields: Runner, Attempt.
	Placed Kind = "placed"
	// Waiting reports that a remote run was lost and waits for another attempt. Text is the
	// reason.
	Waiting Kind = "waiting"
	// Silence reports that the program has printed nothing for the duration Silent.
	Silence Kind = "silence"
	// Heard ends a Silence.
	Heard Kind = "heard"
)

// Event is one report of a running agent. Kind determines the fields that are set.
type Event struct {
	Kind Kind
	// At is the time at which the event was received.
	At time.Time
	// Session is the ID for Spec.Resume.
	Session string
	Model   string
	Text    string
	Tool    *Tool
	Failed  bool
	// Usage is the token usage and the cost; nil if the program does not report it.
	Usage *record.Usage
	// Cumulative reports that Usage covers the complete session, including earlier runs
	// that this one resumes.
	Cumulative bool
	Stream     record.Stream
	Data       []byte
	Silent     time.Duration
	// Runner names the machine that runs the agent.
	Runner string
	// Attempt counts the starts of the agent, from 1.
	Attempt int
}

// Tool is a tool call of an agent.
type Tool struct {
	CallID string
	// Type is the program's name for the kind of tool, such as "editToolCall".
	Type string
	// Args are the arguments as JSON. Long strings are shortened, to 16 KiB in total, or 64
	// KiB for MCP tools, whose wrapper is removed. It is nil if the arguments exceed the
	// limit even with short strings.
	Args json.RawMessage
	// Server and Name identify an MCP tool; empty for other tools.
	Server, Name string
	// Failed reports that a completed call has failed.
	Failed bool
	// Error describes the failure: "rejected: …", "exit code 1: …".
	Error string
	// Changes are the files that a completed call has changed.
	Changes []FileChange
	// Diff is the text of the changes, if the program reports it, of at most 256 KiB.
	Diff string
}

// FileChange is a file that a tool has changed. Path has the notation of the program; Kind
// is a value of record.Change.Kind.
type FileChange struct{ Path, Kind string }

// Exit describes the end of an agent.
type Exit struct {
	// Finished reports that the agent has sent a Finished event, independent of the end of
	// its process.
	Finished bool
	// Failed reports that the agent has reported a failure, or that its process failed
	// without a report.
	Failed bool
	// Code is the exit code of the process.
	Code int
	// Signal is the name of the signal that ended the process, if any.
	Signal string
	// Message is the reason of the failure in the words of the program: an error text from
	// its output, or the end of its standard error.
	Message string
	// Cause is an Err variable of this package if the failure is recognized; otherwise nil.
	Cause error
	// Leftover reports that child processes of the agent were still running and were ended.
	Leftover bool
}
