package command

import (
	"context"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Program is what differs between agent programs. It may be used concurrently.
type Program interface {
	// Command makes the call of a run. scratch makes a directory for files that belong to the run, the same one each time; it is removed when the run
	// is over, or by Reap. The error is that of Run.
	Command(ctx context.Context, s executor.Spec, scratch func() (string, error)) (Call, error)
	// Decoder reads the output of one run.
	Decoder() Decoder
	// Failure says what a failure is, as far as the last words of the program tell: one of the errors of package executor, or nil.
	Failure(words string) error
}

// Call is how a program is called.
type Call struct {
	// Path is the program, Args its arguments without its name. No secret belongs
	// into them: other users of the machine can read them.
	Path string
	Args []string
	// Env are further variables, as NAME=value; later ones win.
	Env []string
	// Dir is the absolute path of the working directory.
	Dir string
	// Input is written to its standard input, which is closed then. A program with a Dialogue has none.
	Input string
}

// Decoder reads what a program prints on its standard output. It serves one run and is not used concurrently.
type Decoder interface {
	// Decode tells what a line says; false means that it is no event at all.
	// The line has no line end, is not empty, and is valid only during the call. Of a line longer than 256 KB long strings are shortened.
	Decode(line []byte, tell func(executor.Event)) bool
}

// Dialogue is a Decoder for a program that is talked with: what it prints are messages, of which some want an answer. Its lines are never shortened:
// one that is longer than Options.MaxLine ends the run. Its methods are not called concurrently, and must not block for long.
type Dialogue interface {
	Decoder
	// Begin is called before the program runs. say gives it a line to read, with its line end, now or
	// later, and does not wait. What is said after the agent has told its end, and what it does not read, is lost.
	Begin(say func(line []byte))
	// Cancel asks the program to end what it does. If it tells its end soon, it is spared what ends it otherwise.
	Cancel()
	// Close releases what the dialogue holds. Nothing else is called afterwards.
	Close()
}
