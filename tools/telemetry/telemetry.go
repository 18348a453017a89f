package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// Options configure a set. The zero value tells of an unknown model and keeps usage in memory.
type Options struct {
	// Server is whom get_server_stats tells of: name and version.
	Server mcp.Implementation
	// Recorder holds what is counted, and outlives the set. Default: one of the set's own, for which no call is measured.
	Recorder *Recorder

	// Model is the current model, if the program knows it: at least its name.
	Model ModelInfo
	// Environment looks up a variable of the environment, as os.Getenv does. Default: there is no environment.
	Environment func(name string) string
	// EnvironmentNames are the variables that can name the current model, the first that does counts. Default:
	// CURSORCLI_MCP_MODEL, CURSOR_MODEL.
	EnvironmentNames []string
	// ClientKeys are the keys of a request's _meta under which a client can name its model, as text or as an object with name,
	// provider, version and contextWindow. Default: io.github.dougu-go/model, dougu/model, cursor/model.
	ClientKeys []string
	// Default is the model when nobody names one. Default: "unknown". A context window that is not set is that of the table of
	// this package, else 128,000 tokens; it also stands in for models whose window is not known.
	Default ModelInfo
	// Prices are the first prices; SetPrices replaces them. Default: none.
	Prices *Prices

	// StatsFile keeps usage over the end of the program. It may be shared with other processes. It belongs outside of what tools
	// can write to. Default: usage is kept until the program ends.
	StatsFile string
}

// withDefaults fills in the defaults.
func (o Options) withDefaults(table []knownModel) Options {
	if o.Recorder == nil {
		o.Recorder = NewRecorder()
	}
	if o.EnvironmentNames == nil {
		o.EnvironmentNames = strings.Fields("CURSORCLI_MCP_MODEL CURSOR_MODEL")
	}
	if o.ClientKeys == nil {
		o.ClientKeys = []string{"io.github.dougu-go/model", "dougu/model", "cursor/model"}
	}
	o.EnvironmentNames, o.ClientKeys = slices.Clone(o.EnvironmentNames), slices.Clone(o.ClientKeys)
	if o.Default.Name == "" {
		o.Default.Name = unknownModel
	}
	o.Model.Approximate, o.Default.Approximate = false, o.Default.ContextWindow == 0
	if o.Default.Approximate {
		o.Default.ContextWindow = cmp.Or(findModel(table, o.Default.Name).ContextWindow, defaultWindow)
	}
	return o
}

// check gathers what is wrong with the models of the options.
func (o Options) check() error {
	var problems *multierror.Error
	if o.Model != (ModelInfo{}) {
		if err := o.Model.check(); err != nil {
			problems = multierror.Append(problems, fmt.Errorf("the current model: %w", err))
		}
	}
	if err := o.Default.check(); err != nil {
		problems = multierror.Append(problems, fmt.Errorf("the default model: %w", err))
	}
	if problems != nil {
		problems.ErrorFormat = joinErrors
	}
	return problems.ErrorOrNil()
}

// joinErrors is the text of several errors.
func joinErrors(all []error) string {
	return strings.ReplaceAll(errors.Join(all...).Error(), "\n", "; ")
}

// Telemetry is the set of tools that tell of the model, of its use and of the server. Its methods may be called from several
// goroutines at once.
type Telemetry struct {
	options  Options
	limits   tools.Limits
	recorder *Recorder
	table    []knownModel
	prices   atomic.Pointer[Prices]
	features mcp.Features

	closing sync.Once
	detach  func(context.Context) error // nil without a file
}

// New makes the set. Of the environment it needs nothing but, if they are there, the limit of answers and the log. A file that
// is named is read; New fails when it cannot be, and when it is of a later version. Close must be called.
func New(env tools.Env, o Options) (*Telemetry, error) {
	table, err := readModelTable()
	if err != nil {
		return nil, fmt.Errorf("making the telemetry tools: %w", err)
	}
	o = o.withDefaults(table)
	t := &Telemetry{options: o, limits: env.Limits.WithDefaults(), recorder: o.Recorder, table: table}
	t.prices.Store(o.Prices)
	defined, err := t.define()
	if err := errors.Join(o.check(), err); err != nil {
		return nil, fmt.Errorf("making the telemetry tools: %w", err)
	}
	t.features = mcp.Features{Tools: defined}
	if o.StatsFile != "" {
		if t.detach, err = t.recorder.ledger.attach(context.Background(), o.StatsFile, env.Logger()); err != nil {
			return nil, fmt.Errorf("making the telemetry tools: using %s: %w", o.StatsFile, err)
		}
	}
	return t, nil
}

// SetPrices replaces the prices; nil knows none. What was used before is estimated by them too.
func (t *Telemetry) SetPrices(p *Prices) { t.prices.Store(p) }

// Features implements tools.Set.
func (t *Telemetry) Features() mcp.Features { return t.features }

// Close implements tools.Set. It writes the usage that the file lacks, unless another set of the same Recorder is there to do
// that. The error says that it could not be written; it is still in the Recorder then.
func (t *Telemetry) Close(ctx context.Context) (err error) {
	t.closing.Do(func() {
		if t.detach != nil {
			err = t.detach(ctx)
		}
	})
	return err
}
