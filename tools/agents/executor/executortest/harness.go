package executortest

import (
	"bytes"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Harness describes an executor to Run. New and Answers are required.
type Harness struct {
	// New returns an executor whose agent program is available. The test closes it.
	New func(t *testing.T) executor.Executor
	// Spec has the fields that are the same in each run, such as Model, Trust and Env. The test sets AgentID and
	// Prompt, and Dir if it is empty.
	Spec executor.Spec
	// Answers maps prompts of agents that finish successfully to a part of their final message, the Text of Finished.
	// Give two prompts with different messages, so that the test detects runs that mix.
	Answers map[string]string
	// Failure is the prompt of an agent that starts and then fails. Empty skips the test.
	Failure string
	// Endless is the prompt of an agent that sends an event and then works until it is ended. An agent that starts
	// processes should have started one by then. Empty skips the tests of cancellation.
	Endless string
	// Hostile is the prompt of an agent whose program prints Noise before it finishes successfully. Empty skips the
	// test. An executor without a program of its own does not need it.
	Hostile string
	// Resumes means that the agents of Answers can continue a session by Spec.Resume.
	Resumes bool
	// UnknownModel is the ID of a model that the program does not offer. Empty skips the test.
	UnknownModel string
	// Missing returns an executor whose agent program or service is missing. nil skips the test.
	Missing func(t *testing.T) executor.Executor
	// Timeout is the time after which a call counts as blocked. Default: one minute.
	Timeout time.Duration
}

// defaultTimeout is the default of Harness.Timeout.
const defaultTimeout = time.Minute

// Noise returns output that the program for Harness.Hostile prints: lines that are too long, not UTF-8, with NUL and
// control characters, and JSON that is incomplete, deeply nested or of unexpected types. It ends with a line end.
func Noise() []byte {
	long := bytes.Repeat([]byte("x"), 300<<10)
	return bytes.Join([][]byte{
		[]byte("plain text that is no event"),
		[]byte("NUL \x00 and \x1b[31mcolors\x1b[0m, \x07 and \u202e"),
		[]byte("invalid UTF-8 \xff\xfe\xc3\x28 and a lone surrogate \xed\xa0\x80"),
		[]byte(`{"type":"`), []byte(`{"type":42,"message":[null,{"content":7}]}`), []byte(`{}`), []byte(`[]`), []byte(`null`),
		[]byte(`{"type":"\ud800","text":"\u0000"}`),
		append(bytes.Repeat([]byte("["), 20_000), bytes.Repeat([]byte("]"), 20_000)...),
		append(append([]byte(`{"type":"unknown","text":"`), long...), `"}`...),
		long, nil,
	}, []byte("\n"))
}

// hostilePrompts returns prompts that programs or executors may misunderstand. An executor may refuse them.
func hostilePrompts() map[string]string {
	return map[string]string{
		"option": "--help", "dash": "-", "quotes": `"'` + "`$(exit 9)` %PATH% $HOME \\", "lines": "one\r\ntwo\n\n\n", "NUL": "a\x00b",
		"invalid UTF-8": "a\xff\xfeb", "control": "\x1b[2J\x07\x1b]0;title\x07", "command": "/quit", "JSON": `{"jsonrpc":"2.0","id":1,"method":"exit"}`,
		"long": string(bytes.Repeat([]byte("a long prompt "), 20_000)),
	}
}
