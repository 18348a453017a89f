package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// defaultWindow is the context window of a default model that does not tell its own.
	defaultWindow = 128_000
	// maxWindow is the largest context window that is believed.
	maxWindow = 1_000_000_000
	// maxClientModel bounds what a client says of its model, in bytes of JSON.
	maxClientModel = 4 << 10
)

const unknownModel, unknownProvider = "unknown", "unknown"

// Source says who named the current model.
type Source string

// The sources of the current model, in the order in which they are asked.
const (
	FromConfig      Source = "config"
	FromEnvironment Source = "environment"
	FromClient      Source = "client"
	FromDefault     Source = "default"
)

// ModelInfo describes a model. As an option only its name must be set.
type ModelInfo struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Version  string `json:"version,omitempty"`
	// ContextWindow is in tokens.
	ContextWindow int64 `json:"contextWindow"`
	// Cost is nil when no price is known.
	Cost *Cost `json:"costPer1kTokens,omitempty"`
	// Source says who named the model. It is not an option.
	Source Source `json:"source"`
	// Approximate says that the context window comes from the table of this package or from the default model. It is not an
	// option.
	Approximate bool `json:"approximate,omitempty"`
}

// Cost is what a thousand tokens cost, in the currency of the prices.
type Cost struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// TextContent implements the text form of the answer.
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

// check says what is wrong with a model that somebody describes.
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

// CurrentModel tells which model is at work: the one of the configuration, else of the environment, else the one that the
// client names in the request's _meta, else the default. What a source says is passed over when it cannot be a model; there
// is no error.
func (t *Telemetry) CurrentModel(ctx context.Context, _ CurrentModelArgs) (ModelInfo, error) {
	return t.fillDefaults(t.declaredModel(ctx)), nil
}

// declaredModel asks the sources in their order.
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
	for _, key := range t.options.ClientKeys {
		m, err := parseClientModel(call.Request.Meta.Value(key))
		if err == nil {
			return m, true
		}
	}
	return ModelInfo{}, false
}

// parseClientModel reads what a client says of its model: a name, or an object. What it says of costs is not taken.
func parseClientModel(raw json.RawMessage) (ModelInfo, error) {
	m := ModelInfo{Source: FromClient}
	if len(raw) > maxClientModel {
		return m, fmt.Errorf("the model has %d bytes of JSON", len(raw))
	}
	var err error
	if len(raw) > 0 && raw[0] == '"' {
		err = json.Unmarshal(raw, &m.Name)
	} else {
		var said struct {
			Name          string `json:"name"`
			Provider      string `json:"provider"`
			Version       string `json:"version"`
			ContextWindow int64  `json:"contextWindow"`
		}
		err = json.Unmarshal(raw, &said)
		m.Name, m.Provider, m.Version, m.ContextWindow = said.Name, said.Provider, said.Version, said.ContextWindow
	}
	if err != nil {
		return m, err
	}
	return m, m.check()
}

// fillDefaults adds to a model what its source did not tell.
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
		m.Cost = new(*m.Cost) // the caller may change what it gets
	}
	return m
}
