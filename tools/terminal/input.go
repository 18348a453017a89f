package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

const (
	defaultInputWait = time.Second
	// quietDelay is the time without output after which an answer is taken as complete.
	quietDelay = 150 * time.Millisecond
	// inputTimeout is the time that a process may take to read its input.
	inputTimeout = 5 * time.Second
)

// SendInputArgs are the arguments of send_process_input.
type SendInputArgs struct {
	ProcessID string `json:"processId"` // of execute_command or execute_build
	// Input is the text for the process. On a terminal it is typed: \u0003 is Ctrl+C.
	Input string `json:"input" jsonschema:"description=On a terminal \\\\u0003 is Ctrl+C"`
	// AppendNewline adds a line end. nil is true.
	AppendNewline *bool `json:"appendNewline,omitempty" jsonschema:"default=true"`
	// CloseInput ends the input afterwards.
	CloseInput bool `json:"closeInput,omitempty"`
	// WaitMs is the time in milliseconds to wait for an answer: until the process has printed something and is quiet. nil is
	// 1,000.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,default=1000,description=For an answer"`
}

// SendInput implements send_process_input. It writes to a process in the background or on a terminal, and returns the output
// that follows. The policy checks the input of a shell.
func (t *Terminal) SendInput(ctx context.Context, args SendInputArgs) (OutputResult, error) {
	p, err := t.find(ctx, args.ProcessID)
	if err != nil {
		return OutputResult{}, err
	}
	wait := defaultInputWait
	if args.WaitMs != nil {
		if wait, err = parseWait(*args.WaitMs); err != nil {
			return OutputResult{}, err
		}
	}
	text := args.Input
	if args.AppendNewline == nil || *args.AppendNewline {
		text += "\n"
	}
	if len(text) > maxLine {
		return OutputResult{}, invalid("Send less at once, or give a file.", "the input has %d bytes, more than %d", len(text), maxLine)
	}
	entry, err := t.admitInput(ctx, p, text)
	if err != nil {
		return OutputResult{}, err
	}
	before := p.out.Size(spool.Both)
	from := before
	if seen := p.seen(spool.Both); seen < from && from-seen <= int64(t.limits.Answer)/2 {
		from = seen // for example a prompt that no call has read
	}
	err = t.write(ctx, p, text, args.CloseInput)
	if err := errors.Join(err, entry.End(err)); err != nil {
		return OutputResult{}, err
	}
	if err := t.awaitAnswer(ctx, p, before, wait); err != nil {
		return OutputResult{}, err
	}
	return p.page(spool.Both, from, t.limits.Answer, false, false), nil
}

// admitInput checks the input of a shell and records it in the audit log.
func (t *Terminal) admitInput(ctx context.Context, p *proc, text string) (*audit.Call, error) {
	switch {
	case !p.state().running:
		return nil, problem(codeInputClosed, "Start it again.", "process %s has ended", p.id)
	case !p.input:
		return nil, problem(codeInputClosed, t.offers().advice("End it with kill_process and start it", "Start another one", "kill_process")+" with background=true or pty=true, or give it stdin.", "process %s was started without an open input", p.id)
	}
	// The input of other programs can be a password, so only its length is recorded.
	params := map[string]any{"processId": p.id, "bytes": len(text)}
	if p.shell != "" {
		params["input"] = text
		if line := strings.TrimSpace(text); line != "" && !isControlKeys(line) {
			if err := t.options.Policy.Check(command.Command{Script: line, Shell: p.shell, Dir: p.dir}); err != nil {
				_ = t.audit.Record(ctx, audit.Entry{Operation: "send_process_input", Params: params}, 0, err)
				return nil, err
			}
		}
	}
	return t.audit.Begin(ctx, audit.Entry{Operation: "send_process_input", Params: params})
}

// isControlKeys reports whether a text consists of control keys such as Ctrl+C.
func isControlKeys(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= ' ' }) < 0
}

// write writes the input of a process and waits until it is accepted.
func (t *Terminal) write(ctx context.Context, p *proc, text string, closeAfter bool) error {
	patience := time.NewTimer(inputTimeout)
	defer patience.Stop()
	notRead := problem(string(security.Timeout), t.offers().advice("Wait until it reads: read_process_output shows what it does. Do not send it again.", "Wait until it reads. Do not send it again.", "read_process_output"), "process %s does not read its input; it receives the input when it reads", p.id)
	select {
	case p.writing <- struct{}{}:
	case <-patience.C:
		return problem(string(security.Timeout), t.offers().advice("Wait until it reads: read_process_output shows what it does.", "Wait until it reads.", "read_process_output"), "process %s has not yet read its earlier input; nothing was sent", p.id)
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	t.work.Go(func() {
		defer func() { <-p.writing }()
		_, err := p.Write([]byte(text))
		if err == nil && closeAfter {
			err = p.CloseInput()
		}
		done <- err
	})
	select {
	case err := <-done:
		if errors.Is(err, process.ErrNoInput) {
			return problem(codeInputClosed, t.offers().advice("read_process_output shows whether it has ended.", "Start it again.", "read_process_output"), "process %s reads no more", p.id)
		}
		return err
	case <-patience.C:
		return notRead
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", notRead, ctx.Err())
	}
}

// awaitAnswer waits until the output of a process exceeds a size and is quiet, or the process has ended.
func (t *Terminal) awaitAnswer(ctx context.Context, p *proc, before int64, wait time.Duration) error {
	end := time.NewTimer(wait)
	defer end.Stop()
	silence := time.NewTimer(wait)
	defer silence.Stop()
	for {
		news := p.out.News()
		if size := p.out.Size(spool.Both); size > before { // the output can have grown before this wait
			before = size
			silence.Reset(quietDelay)
		}
		select {
		case <-news:
		case <-silence.C:
			return nil
		case <-p.over:
			return nil
		case <-end.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
