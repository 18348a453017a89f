package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

// PromptOptions configures a prompt; see ServerPrompt.With. Zero values keep the current setting. A
// negative limit restores the default.
type PromptOptions struct {
	// Timeout limits the time of the handler. It is suspended while the handler waits for an answer
	// of its client. Default, and with a negative value: no limit.
	Timeout time.Duration
	// HardTimeout limits the time including waits. Default ten times Timeout; it applies only with
	// Timeout.
	HardTimeout time.Duration
	// MaxResult limits the content of the messages, in bytes. Default 10 MiB.
	MaxResult int
	// Unlisted omits the prompt from lists; clients can still get it. Listed undoes Unlisted.
	Unlisted, Listed bool
}

// ServerPrompt is a prompt with its handler. It is a value: it can be registered in any number of
// servers.
type ServerPrompt struct {
	prompt Prompt // public description
	// get decodes the arguments and calls the handler.
	get        func(ctx context.Context, args json.RawMessage) (*PromptResult, error)
	opts       PromptOptions
	completers map[string]Completer // by argument
	problems   []error              // reported by Err
}

// NewPrompt returns a prompt with a typed handler. In is a struct with text fields: its names, tags
// and optional fields define the arguments; see package schema. An argument with an enum gets a
// completer. In may also be map[string]string; then p.Arguments defines the arguments. Missing,
// unknown and invalid arguments are protocol errors. Problems of the definition are reported at
// registration.
//
// An error of h becomes a protocol error, because prompts have no other errors. Its methods
// ErrorCode, NextStep and ErrorDetails, if present, supply the data. The code INVALID_PARAMS marks
// a mistake of the client.
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

// promptInput returns the schema of the arguments, and sets the arguments and completers of p.
func promptInput[In any](p *ServerPrompt) *schema.Schema {
	if isMap[In]() {
		if reflect.TypeFor[In]() != reflect.TypeFor[map[string]string]() {
			p.problem(fmt.Errorf("%v is neither a struct nor map[string]string", reflect.TypeFor[In]()))
		}
		input, err := textObjectSchema(p.prompt.Arguments)
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
			p.completers = withCompleter(p.completers, f.name, enumCompleter(f.enum))
		}
	}
	return input
}

// AddPrompt registers a prompt, which Server.Remove unregisters by its name. See NewPrompt and
// Server.Replace.
func AddPrompt[In any](s *Server, p Prompt, h func(ctx context.Context, in In) (*PromptResult, error)) error {
	return s.Replace(ownPrompt+p.Name, Features{Prompts: []ServerPrompt{NewPrompt(p, h)}})
}

// problem records a problem of the definition.
func (p *ServerPrompt) problem(err error) { p.problems = append(slices.Clip(p.problems), err) }

// Prompt returns the public description.
func (p ServerPrompt) Prompt() Prompt { return p.prompt }

// Err returns the problems of the definition, or nil.
func (p ServerPrompt) Err() error {
	if p.get == nil {
		p.problem(errors.New("it was not made by NewPrompt"))
	}
	return joinProblems("prompt", p.prompt.Name, p.problems)
}

// Options returns the current options.
func (p ServerPrompt) Options() PromptOptions { return p.opts }

// With returns a copy with the options of o that are not zero.
func (p ServerPrompt) With(o PromptOptions) ServerPrompt {
	setLimit(&p.opts.Timeout, o.Timeout)
	setLimit(&p.opts.HardTimeout, o.HardTimeout)
	setLimit(&p.opts.MaxResult, o.MaxResult)
	setListed(&p.opts.Unlisted, o.Unlisted, o.Listed)
	return p
}

// Complete returns a copy with a completer for an argument (2026-07-28,
// server/utilities/completion).
func (p ServerPrompt) Complete(argument string, c Completer) ServerPrompt {
	if !p.has(argument) {
		p.problem(fmt.Errorf("there is no argument %q to complete", argument))
		return p
	}
	if c == nil {
		p.problem(fmt.Errorf("the completer of the argument %q is nil", argument))
		return p
	}
	p.completers = withCompleter(p.completers, argument, c)
	return p
}

// has reports whether the prompt has this argument.
func (p *ServerPrompt) has(argument string) bool {
	return slices.ContainsFunc(p.prompt.Arguments, func(a PromptArgument) bool { return a.Name == argument })
}

// Get validates the arguments and runs the prompt in process. Questions to a user need the context
// of a server's call.
func (p ServerPrompt) Get(ctx context.Context, args map[string]string) (*PromptResult, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNilContext
	}
	if args == nil {
		args = map[string]string{}
	}
	return p.run(ctx, mustMarshal(nil, args))
}

// run runs the prompt within its limits. The caller may modify the result.
func (p *ServerPrompt) run(ctx context.Context, args json.RawMessage) (*PromptResult, error) {
	what := fmt.Sprintf("the prompt %q", p.prompt.Name)
	result, err := runProtected(ctx, what, p.opts.Timeout, p.opts.HardTimeout, func(ctx context.Context) (*PromptResult, error) {
		return p.get(ctx, args)
	})
	if err != nil {
		return nil, promptError(err)
	}
	if result == nil {
		return new(PromptResult), nil
	}
	size, messages := 0, result.Messages
	for i, m := range messages {
		if m.Content == nil {
			continue // an empty text
		}
		block, err := checkBlock(m.Content)
		if err != nil {
			return nil, promptError(fmt.Errorf("message %d of %s: %w", i+1, what, err))
		}
		if block != nil {
			if &messages[0] == &result.Messages[0] {
				messages = slices.Clone(messages)
			}
			messages[i].Content = block
		}
		size += blockSize(messages[i].Content)
	}
	if err := checkSize(what, size, p.opts.MaxResult); err != nil {
		return nil, promptError(err)
	}
	own := *result
	own.Messages = messages
	return &own, nil
}

func (p *ServerPrompt) key() string              { return p.prompt.Name }
func (p *ServerPrompt) item() Prompt             { return p.prompt }
func (p *ServerPrompt) hidden() bool             { return p.opts.Unlisted }
func (p *ServerPrompt) append(dst []byte) []byte { return p.prompt.appendJSON(dst, protocol.Latest) }
