package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

// PromptOptions are set with ServerPrompt.With. Zero values keep what is set.
type PromptOptions struct {
	// Timeout ends the handler's context. It stops while the handler waits for
	// an answer from its client.
	Timeout time.Duration
	// HardTimeout ends the context whatever the handler waits for. Default: ten
	// times Timeout.
	HardTimeout time.Duration
	// MaxResult bounds the bytes of the messages' content. Default 10 MB.
	MaxResult int
	// Unlisted hides the prompt from lists; it can be got.
	Unlisted bool
}

// ServerPrompt is a prompt with its handler: a value that can be registered in
// any number of servers.
type ServerPrompt struct {
	prompt     Prompt
	get        func(ctx context.Context, args json.RawMessage) (*PromptResult, error)
	opts       PromptOptions
	completers map[string]Completer // by argument
	problems   []error
}

// NewPrompt makes a prompt from a typed handler. In is a struct whose fields are
// text: its names, tags and optional fields make the arguments, see package
// schema, and an argument with an enum completes by itself. Or it is
// map[string]string, and p says what the arguments are. Arguments that are
// missing, not known or against the tags are protocol errors. What is wrong with
// the prompt is reported when it is registered.
//
// A returned error is a protocol error, since a prompt has no other; its code,
// next step and details are given as data if it has the methods ErrorCode,
// NextStep or ErrorDetails, and the code INVALID_PARAMS says that the client is
// to blame.
func NewPrompt[In any](p Prompt, h func(ctx context.Context, in In) (*PromptResult, error)) ServerPrompt {
	sp := ServerPrompt{prompt: p}
	if err := checkLabel(p.Name); err != nil {
		sp.problem(err)
	}
	if h == nil {
		sp.problem(errors.New("it has no handler"))
	}
	input := promptInput[In](&sp)
	sp.get = func(ctx context.Context, args json.RawMessage) (*PromptResult, error) {
		in, err := decodeText[In](input, args, fmt.Sprintf("the arguments of the prompt %q", p.Name))
		if err != nil {
			return nil, err
		}
		return h(ctx, in)
	}
	return sp
}

// promptInput is the schema of the arguments, which it fills in.
func promptInput[In any](p *ServerPrompt) *schema.Schema {
	if isMap[In]() {
		if reflect.TypeFor[In]() != reflect.TypeFor[map[string]string]() {
			p.problem(fmt.Errorf("%v is neither a struct nor map[string]string", reflect.TypeFor[In]()))
		}
		input, err := textSchema(p.prompt.Arguments)
		if err != nil {
			p.problem(err)
		}
		return input
	}
	if p.prompt.Arguments != nil {
		p.problem(errors.New("the arguments are the fields of a struct already; Arguments must be nil"))
	}
	input, err := schema.InputFor[In]()
	if err != nil {
		p.problem(err)
		return nil
	}
	fields, err := textFields(input)
	if err != nil {
		p.problem(err)
	}
	p.prompt.Arguments = nil
	for _, f := range fields {
		if f.list {
			p.problem(fmt.Errorf("the field %q is a list; an argument is one text", f.name))
		}
		p.prompt.Arguments = append(p.prompt.Arguments, PromptArgument{Name: f.name, Title: f.title, Description: f.description, Required: f.required})
		if len(f.enum) > 0 {
			p.completers = withCompleter(p.completers, f.name, oneOfThese(f.enum))
		}
	}
	return input
}

// AddPrompt registers a prompt under its own name as owner: see NewPrompt and
// Server.Replace.
func AddPrompt[In any](s *Server, p Prompt, h func(ctx context.Context, in In) (*PromptResult, error)) error {
	return s.Replace("prompt "+p.Name, Features{Prompts: []ServerPrompt{NewPrompt(p, h)}})
}

func (p *ServerPrompt) problem(err error) { p.problems = append(slices.Clip(p.problems), err) }

// Prompt returns what a client sees.
func (p ServerPrompt) Prompt() Prompt { return p.prompt }

// Err returns what is wrong with the prompt, or nil.
func (p ServerPrompt) Err() error { return problemsOf("prompt", p.prompt.Name, p.problems) }

// Options returns the options that are set.
func (p ServerPrompt) Options() PromptOptions { return p.opts }

// With returns the prompt with the options that are not zero.
func (p ServerPrompt) With(o PromptOptions) ServerPrompt {
	set(&p.opts.Timeout, o.Timeout)
	set(&p.opts.HardTimeout, o.HardTimeout)
	set(&p.opts.MaxResult, o.MaxResult)
	set(&p.opts.Unlisted, o.Unlisted)
	return p
}

// Complete returns the prompt with a completer for an argument (2026-07-28,
// server/utilities/completion).
func (p ServerPrompt) Complete(argument string, c Completer) ServerPrompt {
	if !p.has(argument) {
		p.problem(fmt.Errorf("there is no argument %q to complete", argument))
		return p
	}
	p.completers = withCompleter(p.completers, argument, c)
	return p
}

func (p *ServerPrompt) has(argument string) bool {
	return slices.ContainsFunc(p.prompt.Arguments, func(a PromptArgument) bool { return a.Name == argument })
}

// Get checks the arguments and runs the prompt in process. Questions to a user
// need a context from a server's call.
func (p ServerPrompt) Get(ctx context.Context, args map[string]string) (*PromptResult, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	if args == nil {
		args = map[string]string{}
	}
	return p.run(ctx, mustMarshal(nil, args))
}

// run runs the prompt under its limits. The result is the caller's own.
func (p *ServerPrompt) run(ctx context.Context, args json.RawMessage) (*PromptResult, error) {
	what := fmt.Sprintf("the prompt %q", p.prompt.Name)
	result, err := guarded(ctx, what, p.opts.Timeout, p.opts.HardTimeout, func(ctx context.Context) (*PromptResult, error) {
		return p.get(ctx, args)
	})
	if err != nil {
		return nil, promptError(err)
	}
	if result == nil {
		return new(PromptResult), nil
	}
	size := 0
	for _, m := range result.Messages {
		size += blockSize(m.Content)
	}
	if err := checkSize(what, size, p.opts.MaxResult); err != nil {
		return nil, promptError(err)
	}
	own := *result
	return &own, nil
}

func (p *ServerPrompt) key() string              { return p.prompt.Name }
func (p *ServerPrompt) shown() Prompt            { return p.prompt }
func (p *ServerPrompt) hidden() bool             { return p.opts.Unlisted }
func (p *ServerPrompt) append(dst []byte) []byte { return p.prompt.appendJSON(dst, Latest) }
