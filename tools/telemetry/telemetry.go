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

// Options configure a set. With the zero value the model is unknown and usage is kept in memory.
type Options struct {
	// Server has the name and version that get_server_stats returns.
	Server mcp.Implementation
	// Recorder holds the counts; several sets can share it. Default: a new one, which measures no
	// calls.
	Recorder *Recorder

	// Model is the current model, if the program can name it. Only the name is required.
	Model ModelInfo
	// Environment returns the value of an environment variable, like os.Getenv. Default: no
	// environment.
	Environment func(name string) string
	// EnvironmentNames are the variables that can name the current model. The first with a valid
	// name applies. Default: CURSORCLI_MCP_MODEL, CURSOR_MODEL.
	EnvironmentNames []string
	// ClientKeys are the keys in the _meta of a request under which a client can name its model: a
	// string, or an object with name, provider, version and contextWindow. Default:
	// io.github.dougu-go/model, dougu/model, cursor/model.
	ClientKeys []string
	// Default is the model if no source names one. Default: "unknown". Its context window defaults
	// to the table of this package, or else to 128,000 tokens. Models with an unknown context
	// window get this window, too.
	Default ModelInfo
	// OnlyKnownModel lists get_current_model only while a source other than Default names the model.
	// A client is noticed at its first tool call that names a model and runs through
	// Recorder.Middleware; the tool is then listed for all clients. It can be called in any case.
	OnlyKnownModel bool
	// Prices are the initial prices; SetPrices replaces them. Default: no prices.
	Prices *Prices

	// StatsFile is the file that keeps usage after the end of the program. Processes may share it.
	// Choose a path that tools cannot write to. Default: usage is kept in memory.
	StatsFile string
}

// withDefaults returns the options with all defaults set.
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

// check returns all problems of the models in the options.
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

// joinErrors joins errors into one line.
func joinErrors(all []error) string {
	return strings.ReplaceAll(errors.Join(all...).Error(), "\n", "; ")
}

// Telemetry is the tool set for the model, its usage and the server. Its methods are safe for
// concurrent use.
type Telemetry struct {
	options  Options
	limits   tools.Limits
	recorder *Recorder
	table    []knownModel
	prices   atomic.Pointer[Prices]
	features mcp.Features // with all tools listed

	closing sync.Once
	detach  func(context.Context) error // releases the file; nil without a file
}

// New returns a set. Of env it uses only the answer limit and the log. If StatsFile is set, New
// reads it; an unreadable file or a later version of its format is an error. The caller must call
// Close.
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

// SetPrices replaces the prices, also for earlier usage. With nil no model has a price.
func (t *Telemetry) SetPrices(p *Prices) { t.prices.Store(p) }

// Features implements tools.Set.
func (t *Telemetry) Features() mcp.Features {
	if !t.options.OnlyKnownModel || t.isModelKnown() {
		return t.features
	}
	listed := t.features
	listed.Tools = slices.Clone(listed.Tools)
	for i, tool := range listed.Tools {
		if tool.Tool().Name == currentModelTool {
			listed.Tools[i] = tool.With(mcp.ToolOptions{Unlisted: true})
		}
	}
	return listed
}

// Watch implements tools.Watcher. With OnlyKnownModel it reports the first call that names a model.
func (t *Telemetry) Watch(changed func()) (stop func()) {
	if !t.options.OnlyKnownModel {
		return func() {}
	}
	return t.recorder.naming.watch(t.options.ClientKeys, changed)
}

// Close implements tools.Set. It writes unsaved usage to the file, unless another set of the same
// Recorder uses the file. After an error the usage is still in the Recorder.
func (t *Telemetry) Close(ctx context.Context) (err error) {
	t.closing.Do(func() {
		if t.detach != nil {
			err = t.detach(ctx)
		}
	})
	return err
}
