package mcp

//lint:file-ignore SA1019 deprecated parts of the protocol work in every revision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// defaultMaxTokens is the default of SampleParams.MaxTokens.
const defaultMaxTokens = 1024

// codeRejected is the code of the error with which a client reports that its user has rejected a
// sampling request (2025-11-25, client/sampling, "Error Handling").
const codeRejected = -1

// SampleParams is a request to the client's model (2026-07-28, CreateMessageRequestParams).
type SampleParams struct {
	// Prompt, if set, is added as the text of a last message of the user. A client receives it in
	// Messages.
	Prompt string
	// Messages is the conversation so far.
	Messages []SampleMessage
	// SystemPrompt asks the client to use this system prompt; optional.
	SystemPrompt string
	// MaxTokens limits the length of the answer, in tokens of the model. Default 1024 in a server; a
	// client always receives a positive number.
	MaxTokens int
	// Temperature is the randomness of the answer; nil leaves it to the client.
	Temperature *float64
	// StopSequences are texts that end the answer.
	StopSequences []string
	// ModelPreferences help the client to choose a model.
	ModelPreferences ModelPreferences
	// IncludeContext asks for context of MCP servers: "none", "thisServer" or "allServers". Sample
	// leaves the last two out if the client does not declare that it supports them.
	IncludeContext string
	// Metadata is a JSON object for the provider of the model; nil if there is none.
	Metadata json.RawMessage
	// Tools are the tools that the model may use. The server runs them, not the client: the answer
	// has a ToolUseContent, and the next request a ToolResultContent. Only clients with the
	// capability CapSamplingTools accept Tools. An empty InputSchema means an object.
	Tools []Tool
	// ToolChoice decides whether the model uses Tools. Default ToolChoiceAuto.
	ToolChoice ToolChoice
}

// SampleMessage is one message of a conversation with a model.
type SampleMessage struct {
	Role Role // Role is the author.
	// Content has at least one block of text, image or audio, a ToolUseContent of the model, or a
	// ToolResultContent. A message with a ToolResultContent has no other blocks.
	Content []Content
}

// ModelPreferences help a client to choose a model. A client may ignore them.
type ModelPreferences struct {
	// Hints are names of models, or parts of names, the best first. A client may choose a similar
	// model of another provider.
	Hints []string
	// Cost, Speed and Intelligence are the importance of a low price, of low latency and of advanced
	// abilities, from 0 to 1. Zero means that the server has no preference.
	Cost, Speed, Intelligence float64
}

// ToolChoice decides whether a model uses the tools of a sampling request.
type ToolChoice string

// The values of ToolChoice.
const (
	ToolChoiceAuto     ToolChoice = "auto"     // the model decides
	ToolChoiceRequired ToolChoice = "required" // the model must use a tool
	ToolChoiceNone     ToolChoice = "none"     // the model must not use a tool
)

// SampleResult is the answer of the client's model (2026-07-28, CreateMessageResult).
type SampleResult struct {
	Role    Role      // Role is the author. Default RoleAssistant.
	Content []Content // Content is like that of a SampleMessage. A client may leave it empty for an empty text.
	Model   string    // Model is the name of the model.
	// StopReason is the reason for the end of the answer, for example "endTurn", "maxTokens",
	// "stopSequence" or "toolUse"; empty if unknown.
	StopReason string
	Meta       Meta // Meta is the _meta of the answer.
}

// Text returns the texts of the answer, joined by line breaks.
func (r *SampleResult) Text() string {
	var texts []string
	for _, block := range r.Content {
		if text, ok := block.(TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// ToolUses returns the tools that the model wants to use, in order.
func (r *SampleResult) ToolUses() []ToolUseContent {
	var uses []ToolUseContent
	for _, block := range r.Content {
		if use, ok := block.(ToolUseContent); ok {
			uses = append(uses, use)
		}
	}
	return uses
}

// Sample asks the client's model to continue a conversation. It works in every revision, like
// Elicit; in revision 2026-07-28 the handler runs again with the answer, so that key and params must
// be the same in each run, and all answers of a call together must be smaller than 64 KiB. Errors
// are those of AskAll, invalid params, and in a session a *ToolError with the code DECLINED if the
// user rejects the request; in revision 2026-07-28 the call then ends at the client. The answer
// comes from outside the server, and is no more reliable than the arguments of a call.
//
// Deprecated: sampling is deprecated as of 2026-07-28; it works with every revision.
func Sample(ctx context.Context, key string, params SampleParams) (*SampleResult, error) {
	if call := CallFrom(ctx); call != nil && params.IncludeContext != "none" && !includesContext(&call.Request.Meta) {
		params.IncludeContext = ""
	}
	q, err := SamplingQuestion(key, params)
	if err != nil {
		return nil, err
	}
	answers, err := AskAll(ctx, q)
	if err != nil {
		if isRejected(err) {
			return nil, &ToolError{Code: "DECLINED", Message: "the user rejected a request to the model", Next: "do not try again unless the user asks for it", Err: err}
		}
		return nil, err
	}
	result := new(SampleResult)
	if err := result.UnmarshalJSON(answers[0]); err != nil {
		return nil, err
	}
	return result, nil
}

// includesContext reports whether the client may include context of servers in sampling. Revisions
// before 2025-11-25 have no capability for it.
func includesContext(m *protocol.RequestMeta) bool {
	caps := m.Capabilities()
	return m.Revision < protocol.Rev20251125 || caps.Sampling != nil && caps.Sampling.Context != nil
}

// isRejected reports whether err is the error of a client whose user has rejected a request.
func isRejected(err error) bool {
	var own *protocol.Error
	var remote *rpc.Error
	return errors.As(err, &own) && own.Code == codeRejected || errors.As(err, &remote) && remote.Code == codeRejected
}

// SamplingQuestion returns the question that Sample asks, for AskAll. SampleResult decodes the
// answer from JSON. Invalid params are an error.
//
// Deprecated: sampling is deprecated as of 2026-07-28; it works with every revision.
func SamplingQuestion(key string, params SampleParams) (Question, error) {
	if err := params.complete(); err != nil {
		return Question{}, fmt.Errorf("the sampling request %q: %w", key, err)
	}
	needs := CapSampling
	if params.usesTools() {
		needs = CapSamplingTools
	}
	return Question{
		Key: key, capability: needs,
		request: func(rev protocol.Revision) protocol.InputRequest {
			return protocol.InputRequest{Method: "sampling/createMessage", Params: params.appendJSON(nil, rev)}
		},
		check: func(raw json.RawMessage) error {
			var result SampleResult
			if err := result.UnmarshalJSON(raw); err != nil {
				return err
			}
			return result.check(len(params.Tools) > 0)
		},
	}, nil
}

// complete sets the defaults of params and checks them. It does not change the slices of the caller.
func (p *SampleParams) complete() error {
	messages := slices.Clone(p.Messages)
	if p.Prompt != "" {
		messages = append(messages, SampleMessage{Role: RoleUser, Content: []Content{TextContent{Text: p.Prompt}}})
	}
	p.Messages, p.Prompt = messages, ""
	for i := range p.Messages {
		blocks, err := sampleBlocks(p.Messages[i].Content)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		p.Messages[i].Content = blocks
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = defaultMaxTokens
	}
	p.Tools = slices.Clone(p.Tools)
	p.completeSchemas()
	return p.check()
}

// completeSchemas sets the default of the input schemas of Tools.
func (p *SampleParams) completeSchemas() {
	for i := range p.Tools {
		if p.Tools[i].InputSchema == nil {
			p.Tools[i].InputSchema = json.RawMessage(`{"type":"object"}`)
		}
	}
}

// usesTools reports whether the request needs a client with the capability for tools.
func (p *SampleParams) usesTools() bool {
	return len(p.Tools) > 0 || p.ToolChoice != "" || slices.ContainsFunc(p.Messages, func(m SampleMessage) bool {
		return slices.ContainsFunc(m.Content, func(block Content) bool {
			switch block.(type) {
			case ToolUseContent, ToolResultContent:
				return true
			}
			return false
		})
	})
}

// check returns an error if the params are invalid. Both sides use it.
func (p *SampleParams) check() error {
	if p.MaxTokens < 1 {
		return fmt.Errorf("maxTokens is %d, not a positive number", p.MaxTokens)
	}
	if len(p.Messages) == 0 {
		return errors.New("it has no messages")
	}
	if p.Temperature != nil && (math.IsNaN(*p.Temperature) || math.IsInf(*p.Temperature, 0)) {
		return errors.New("the temperature is not a finite number")
	}
	for name, value := range map[string]float64{
		"costPriority": p.ModelPreferences.Cost, "speedPriority": p.ModelPreferences.Speed, "intelligencePriority": p.ModelPreferences.Intelligence,
	} {
		if !(value >= 0 && value <= 1) { // false for NaN
			return fmt.Errorf("%s is %v, not between 0 and 1", name, value)
		}
	}
	switch p.IncludeContext {
	case "", "none", "thisServer", "allServers":
	default:
		return fmt.Errorf("includeContext is %q, not none, thisServer or allServers", p.IncludeContext)
	}
	switch p.ToolChoice {
	case "", ToolChoiceAuto, ToolChoiceRequired, ToolChoiceNone:
	default:
		return fmt.Errorf("toolChoice is %q, not auto, required or none", p.ToolChoice)
	}
	if p.Metadata != nil && !isObject(p.Metadata) {
		return errors.New("metadata is not a JSON object")
	}
	names := make(map[string]bool, len(p.Tools))
	for _, t := range p.Tools {
		switch {
		case t.Name == "":
			return errors.New("a tool has no name")
		case names[t.Name]:
			return fmt.Errorf("the tool %q is offered twice", t.Name)
		case !isObject(t.InputSchema):
			return fmt.Errorf("the input schema of the tool %q is not a JSON object", t.Name)
		}
		names[t.Name] = true
	}
	return checkConversation(p.Messages)
}

// checkConversation returns an error if messages are invalid: each has a role and content, and every
// tool use of the model has its result in the next message (2026-07-28, client/sampling, "Message
// Content Constraints").
func checkConversation(messages []SampleMessage) error {
	var open map[string]bool // ids of the tool uses of the message before
	for i, m := range messages {
		uses, results, err := m.check()
		if err == nil && len(m.Content) == 0 {
			err = errors.New("it has no content")
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		for _, id := range results {
			if !open[id] {
				return fmt.Errorf("message %d: the result %q belongs to no tool use of the message before", i, id)
			}
			delete(open, id)
		}
		for id := range open {
			return fmt.Errorf("message %d: the tool use %q of the message before has no result", i, id)
		}
		open = make(map[string]bool, len(uses))
		for _, id := range uses {
			if open[id] {
				return fmt.Errorf("message %d has two tool uses with the id %q", i, id)
			}
			open[id] = true
		}
	}
	for id := range open {
		return fmt.Errorf("the tool use %q of the last message has no result", id)
	}
	return nil
}

// check returns the ids of the tool uses and of the tool results of the message.
func (m *SampleMessage) check() (uses, results []string, err error) {
	if m.Role != RoleUser && m.Role != RoleAssistant {
		return nil, nil, fmt.Errorf("the role is %q, not user or assistant", m.Role)
	}
	for _, block := range m.Content {
		switch b := block.(type) {
		case ToolUseContent:
			if err := b.check(); err != nil {
				return nil, nil, err
			}
			uses = append(uses, b.ID)
		case ToolResultContent:
			results = append(results, b.ToolUseID)
		}
	}
	switch {
	case len(uses) > 0 && m.Role != RoleAssistant:
		return nil, nil, errors.New("a tool use is not in a message of the assistant")
	case len(results) > 0 && m.Role != RoleUser:
		return nil, nil, errors.New("a tool result is not in a message of the user")
	case len(results) > 0 && len(results) != len(m.Content):
		return nil, nil, errors.New("tool results are mixed with other content")
	}
	return uses, results, nil
}

// check returns an error if the answer is invalid, or uses tools that were not offered.
func (r *SampleResult) check(tools bool) error {
	m := SampleMessage{Role: r.Role, Content: r.Content}
	uses, results, err := m.check()
	switch {
	case err != nil:
		return fmt.Errorf("the answer of the model: %w", err)
	case len(uses) > 0 && !tools:
		return errors.New("the answer of the model uses tools, and none were offered")
	case len(results) > 0:
		return errors.New("the answer of the model has the result of a tool")
	}
	slices.Sort(uses)
	if len(slices.Compact(uses)) != len(r.ToolUses()) {
		return errors.New("the answer of the model has two tool uses with one id")
	}
	return nil
}

// appendJSON appends the params in the form of revision rev.
func (p *SampleParams) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, `{"messages":[`...)
	first := true
	for _, m := range p.Messages {
		groups := [][]Content{m.Content}
		if rev < protocol.Rev20251125 { // one block a message
			groups = slices.Collect(slices.Chunk(m.Content, 1))
		}
		for _, content := range groups {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = (&SampleMessage{Role: m.Role, Content: content}).appendJSON(dst, rev)
		}
	}
	dst = fmt.Appendf(dst, `],"maxTokens":%d`, p.MaxTokens)
	dst = jsonx.AppendOptional(dst, "systemPrompt", p.SystemPrompt)
	dst = jsonx.AppendOptional(dst, "includeContext", p.IncludeContext)
	if p.Temperature != nil {
		dst = mustMarshal(append(dst, `,"temperature":`...), *p.Temperature)
	}
	if len(p.StopSequences) > 0 {
		dst = mustMarshal(append(dst, `,"stopSequences":`...), p.StopSequences)
	}
	if preferences := p.ModelPreferences.wire(); preferences != nil {
		dst = mustMarshal(append(dst, `,"modelPreferences":`...), preferences)
	}
	if p.Metadata != nil {
		dst = append(append(dst, `,"metadata":`...), p.Metadata...)
	}
	if len(p.Tools) > 0 && rev >= protocol.Rev20251125 {
		dst = append(dst, `,"tools":[`...)
		for i := range p.Tools {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.Tools[i].appendJSON(dst, rev)
		}
		dst = append(dst, ']')
	}
	if p.ToolChoice != "" && rev >= protocol.Rev20251125 {
		dst = fmt.Appendf(dst, `,"toolChoice":{"mode":%q}`, p.ToolChoice)
	}
	return append(dst, '}')
}

// MarshalJSON encodes the params in the latest revision.
func (p SampleParams) MarshalJSON() ([]byte, error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	return p.appendJSON(nil, protocol.Latest), nil
}

// wireToolChoice is the member toolChoice of sampling/createMessage.
type wireToolChoice struct {
	Mode ToolChoice `json:"mode"`
}

// UnmarshalJSON decodes the params of any revision. It does not check them.
func (p *SampleParams) UnmarshalJSON(data []byte) error {
	var wire struct {
		Messages         []SampleMessage  `json:"messages"`
		MaxTokens        float64          `json:"maxTokens"` // a number, not an integer, up to 2025-06-18
		SystemPrompt     string           `json:"systemPrompt"`
		IncludeContext   string           `json:"includeContext"`
		Temperature      *float64         `json:"temperature"`
		StopSequences    []string         `json:"stopSequences"`
		ModelPreferences *wirePreferences `json:"modelPreferences"`
		Metadata         json.RawMessage  `json:"metadata"`
		Tools            []Tool           `json:"tools"`
		ToolChoice       *wireToolChoice  `json:"toolChoice"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a sampling request: %w", err)
	}
	*p = SampleParams{
		Messages: wire.Messages, SystemPrompt: wire.SystemPrompt, Temperature: wire.Temperature, StopSequences: wire.StopSequences,
		IncludeContext: wire.IncludeContext, Metadata: withoutNull(wire.Metadata), Tools: wire.Tools,
	}
	p.MaxTokens = int(min(max(wire.MaxTokens, -1), math.MaxInt32))
	if m := wire.ModelPreferences; m != nil {
		p.ModelPreferences = ModelPreferences{Cost: m.Cost, Speed: m.Speed, Intelligence: m.Intelligence}
		for _, hint := range m.Hints {
			if hint.Name != "" {
				p.ModelPreferences.Hints = append(p.ModelPreferences.Hints, hint.Name)
			}
		}
	}
	if wire.ToolChoice != nil {
		p.ToolChoice = wire.ToolChoice.Mode
	}
	return nil
}

// wirePreferences are the model preferences as JSON.
type wirePreferences struct {
	Hints        []wireHint `json:"hints,omitempty"`
	Cost         float64    `json:"costPriority,omitempty"`
	Speed        float64    `json:"speedPriority,omitempty"`
	Intelligence float64    `json:"intelligencePriority,omitempty"`
}

// wireHint is the hint for a model as JSON.
type wireHint struct {
	Name string `json:"name"`
}

// wire returns the preferences as JSON, or nil if there are none.
func (m ModelPreferences) wire() *wirePreferences {
	if len(m.Hints) == 0 && m.Cost == 0 && m.Speed == 0 && m.Intelligence == 0 {
		return nil
	}
	wire := &wirePreferences{Cost: m.Cost, Speed: m.Speed, Intelligence: m.Intelligence}
	for _, name := range m.Hints {
		wire.Hints = append(wire.Hints, wireHint{name})
	}
	return wire
}

// appendJSON appends the message in revision rev.
func (m *SampleMessage) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"role":`...), m.Role)
	return append(appendSampleContent(append(dst, `,"content":`...), m.Content, rev), '}')
}

// MarshalJSON encodes the message in the latest revision.
func (m SampleMessage) MarshalJSON() ([]byte, error) {
	var err error
	if m.Content, err = sampleBlocks(m.Content); err != nil {
		return nil, err
	}
	return m.appendJSON(nil, protocol.Latest), nil
}

// UnmarshalJSON decodes a message of any revision.
func (m *SampleMessage) UnmarshalJSON(data []byte) error {
	var wire struct {
		Role    Role            `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	err := unmarshal(data, &wire)
	if err == nil {
		m.Role = wire.Role
		m.Content, err = parseSampleContent(wire.Content)
	}
	if err != nil {
		return fmt.Errorf("reading a message of a sampling request: %w", err)
	}
	return nil
}

// appendJSON appends the answer in revision rev.
func (r *SampleResult) appendJSON(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"role":`...), r.Role)
	dst = appendSampleContent(append(dst, `,"content":`...), r.Content, rev)
	dst = jsonx.AppendOptional(appendMember(dst, "model", r.Model), "stopReason", r.StopReason)
	return appendExtras(dst, nil, r.Meta, max(rev, protocol.Rev20250618)) // every revision has _meta here
}

// complete sets the defaults and replaces pointers to blocks.
func (r SampleResult) complete() (SampleResult, error) {
	if r.Role == "" {
		r.Role = RoleAssistant
	}
	var err error
	if r.Content, err = sampleBlocks(r.Content); len(r.Content) == 0 {
		r.Content = []Content{TextContent{}}
	}
	return r, err
}

// MarshalJSON encodes the answer in the latest revision.
func (r SampleResult) MarshalJSON() ([]byte, error) {
	complete, err := r.complete()
	if err != nil {
		return nil, err
	}
	return complete.appendJSON(nil, protocol.Latest), nil
}

// UnmarshalJSON decodes an answer of any revision.
func (r *SampleResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Role       Role            `json:"role"`
		Content    json.RawMessage `json:"content"`
		Model      string          `json:"model"`
		StopReason string          `json:"stopReason"`
		Meta       Meta            `json:"_meta"`
	}
	err := unmarshal(data, &wire)
	if err == nil {
		*r = SampleResult{Role: wire.Role, Model: wire.Model, StopReason: wire.StopReason, Meta: wire.Meta}
		r.Content, err = parseSampleContent(wire.Content)
	}
	if err != nil {
		return fmt.Errorf("reading the answer of a model: %w", err)
	}
	return nil
}

// answerSampling answers sampling/createMessage with ClientOptions.Sample.
func (c *Client) answerSampling(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	var params SampleParams
	err := params.UnmarshalJSON(raw)
	switch {
	case err != nil:
	case params.usesTools() && !c.opts.SampleTools:
		err = errors.New("the client does not declare that its model uses tools")
	default:
		params.completeSchemas()
		err = params.check()
	}
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params of sampling/createMessage: %v", err)
	}
	result, err := c.opts.Sample(ctx, params)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, protocol.Errorf(codeRejected, "The user rejected the sampling request")
	}
	complete, err := result.complete()
	if err == nil {
		err = complete.check(len(params.Tools) > 0)
	}
	rev := c.spoken()
	if err == nil && rev < protocol.Rev20251125 && len(complete.Content) > 1 {
		complete.Content, err = joinTexts(complete.Content, rev)
	}
	if err != nil {
		return nil, fmt.Errorf("the result of ClientOptions.Sample is invalid: %w", err)
	}
	return complete.appendJSON(nil, rev), nil
}

// spoken returns the revision of the connection. While the connection is being set up, it is the
// first revision, whose form of an answer every revision accepts.
func (c *Client) spoken() protocol.Revision {
	if conn := c.connected.Load(); conn != nil {
		return (*conn).Revision()
	}
	return protocol.Rev20241105
}

// joinTexts returns one block with the texts of all blocks. A block that is no text is an error.
func joinTexts(blocks []Content, rev protocol.Revision) ([]Content, error) {
	var texts []string
	for _, block := range blocks {
		text, ok := block.(TextContent)
		if !ok {
			return nil, fmt.Errorf("an answer has one block in revision %s, and %d blocks that are not all text cannot be joined", rev, len(blocks))
		}
		texts = append(texts, text.Text)
	}
	return []Content{TextContent{Text: strings.Join(texts, "\n")}}, nil
}
