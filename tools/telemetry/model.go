package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// defaultWindow is the context window, in tokens, of a default model without one.
	defaultWindow = 128_000
	// maxWindow is the largest accepted context window, in tokens.
	maxWindow = 1_000_000_000
	// maxClientModel is the largest model description in a request, in bytes of JSON.
	maxClientModel = 4 << 10
)

const unknownModel, unknownProvider = "unknown", "unknown"

// Source is the origin of the current model.
type Source string

// The sources of the current model, in the order in which they are tried.
const (
	// FromConfig is Options.Model.
	FromConfig Source = "config"
	// FromEnvironment is one of Options.EnvironmentNames.
	FromEnvironment Source = "environment"
	// FromClient is the _meta of the request.
	FromClient Source = "client"
	// FromDefault is Options.Default.
	FromDefault Source = "default"
)

// ModelInfo describes a model. As an option it needs only a name.
type ModelInfo struct {
	// Name is the name of the model, at most 128 bytes.
	Name string `json:"name"`
	// Provider is the company or service, at most 64 bytes; "unknown" if no source gives it.
	Provider string `json:"provider"`
	// Version is optional, at most 64 bytes.
	Version string `json:"version,omitempty"`
	// ContextWindow is the context window in tokens. As an option, 0 means unknown.
	ContextWindow int64 `json:"contextWindow"`
	// Cost is the price, or nil if it is unknown.
	Cost *Cost `json:"costPer1kTokens,omitempty"`
	// Source is the origin of the model. It is ignored in options.
	Source Source `json:"source"`
	// Approximate is true if the context window comes from the table of this package or from the
	// default model. It is ignored in options.
	Approximate bool `json:"approximate,omitempty"`
}

// Cost is the price of 1,000 tokens, in the currency of the prices.
type Cost struct {
	// Input is the price of 1,000 input tokens.
	Input float64 `json:"input"`
	// Output is the price of 1,000 output tokens.
	Output float64 `json:"output"`
}

// TextContent returns the text form of the result, one line.
func (m ModelInfo) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s", m.Name, m.Provider)
	if m.Version != "" {
		fmt.Fprintf(&b, ", version %s", m.Version)
	}
	about := ""
	if m.Approximate {
		about = "about "
	}
	fmt.Fprintf(&b, "), context window %s%d tokens", about, m.ContextWindow)
	if m.Cost != nil {
		fmt.Fprintf(&b, ", per 1k tokens %v in and %v out", m.Cost.Input, m.Cost.Output)
	}
	fmt.Fprintf(&b, "; source: %s", m.Source)
	return b.String()
}

// check returns an error if a name, the context window or the cost is outside its limits.
func (m ModelInfo) check() error {
	if err := checkName(m.Name, maxName); err != nil {
		return fmt.Errorf("its name %w", err)
	}
	for what, text := range map[string]string{"provider": m.Provider, "version": m.Version} {
		if text == "" {
			continue
		}
		if err := checkName(text, maxLabel); err != nil {
			return fmt.Errorf("its %s %w", what, err)
		}
	}
	if m.ContextWindow < 0 || m.ContextWindow > maxWindow {
		return fmt.Errorf("its context window is %d; it must be from 0, for unknown, to %d", m.ContextWindow, maxWindow)
	}
	if c := m.Cost; c != nil && !(c.Input >= 0 && c.Output >= 0 && c.Input <= maxPrice && c.Output <= maxPrice) {
		return fmt.Errorf("its costs per 1k tokens are %v and %v; they must be from 0 to %d", c.Input, c.Output, maxPrice)
	}
	return nil
}

// CurrentModelArgs are the arguments of get_current_model.
type CurrentModelArgs struct{}

// CurrentModel returns the current model from the first source that names a valid one: the
// configuration, the environment, the _meta of the request, the default. Invalid values are
// skipped. The error is always nil.
func (t *Telemetry) CurrentModel(ctx context.Context, _ CurrentModelArgs) (ModelInfo, error) {
	return t.fillDefaults(t.declaredModel(ctx)), nil
}

// declaredModel returns the model of the first source that has one, as the source gives it.
func (t *Telemetry) declaredModel(ctx context.Context) ModelInfo {
	if m := t.options.Model; m.Name != "" {
		m.Source = FromConfig
		return m
	}
	if m, ok := t.environmentModel(); ok {
		return m
	}
	if m, ok := t.clientModel(ctx); ok {
		return m
	}
	m := t.options.Default
	m.Source = FromDefault
	return m
}

func (t *Telemetry) environmentModel() (ModelInfo, bool) {
	if t.options.Environment == nil {
		return ModelInfo{}, false
	}
	for _, variable := range t.options.EnvironmentNames {
		m := ModelInfo{Name: strings.TrimSpace(t.options.Environment(variable)), Source: FromEnvironment}
		if m.check() == nil {
			return m, true
		}
	}
	return ModelInfo{}, false
}

func (t *Telemetry) clientModel(ctx context.Context) (ModelInfo, bool) {
	call := mcp.CallFrom(ctx)
	if call == nil {
		return ModelInfo{}, false
	}
	return modelInMeta(call, t.options.ClientKeys)
}

// modelInMeta returns the model that the _meta of a call names under the first key with a valid one.
func modelInMeta(call *mcp.Invocation, keys []string) (ModelInfo, bool) {
	for _, key := range keys {
		m, err := parseClientModel(call.Request.Meta.Value(key))
		if err == nil {
			return m, true
		}
	}
	return ModelInfo{}, false
}

// parseClientModel parses the model in the _meta of a request: a name, or an object. It ignores
// costs.
func parseClientModel(raw json.RawMessage) (ModelInfo, error) {
	m := ModelInfo{Source: FromClient}
	if len(raw) > maxClientModel {
		return m, fmt.Errorf("the model has %d bytes of JSON", len(raw))
	}
	var err error
	if len(raw) > 0 && raw[0] == '"' {
		err = json.Unmarshal(raw, &m.Name)
	} else {
		var client struct {
			Name          string `json:"name"`
			Provider      string `json:"provider"`
			Version       string `json:"version"`
			ContextWindow int64  `json:"contextWindow"`
		}
		err = json.Unmarshal(raw, &client)
		m.Name, m.Provider, m.Version, m.ContextWindow = client.Name, client.Provider, client.Version, client.ContextWindow
	}
	if err != nil {
		return m, err
	}
	return m, m.check()
}

// isModelKnown reports whether a source other than the default names a model. A client counts from its
// first tool call with a model on.
func (t *Telemetry) isModelKnown() bool {
	if t.options.Model.Name != "" || t.recorder.naming.named.Load() {
		return true
	}
	_, ok := t.environmentModel()
	return ok
}

// fillDefaults adds provider, context window and cost that the source does not give.
func (t *Telemetry) fillDefaults(m ModelInfo) ModelInfo {
	known := findModel(t.table, m.Name)
	if m.Provider == "" {
		m.Provider = known.Provider
	}
	if m.Provider == "" {
		m.Provider = unknownProvider
	}
	if m.ContextWindow == 0 {
		m.ContextWindow, m.Approximate = known.ContextWindow, true
	}
	if m.ContextWindow == 0 {
		m.ContextWindow = t.options.Default.ContextWindow
	}
	if m.Cost == nil {
		m.Cost = t.prices.Load().cost(m.Name)
	} else {
		m.Cost = new(*m.Cost) // the caller may change its copy
	}
	return m
}
