package mcp

import "encoding/json"

// ClientCapabilities is what a client can do for a server (2026-07-28,
// ClientCapabilities). A nil member means that it cannot. The set is open:
// members that are not known here are kept in Other.
type ClientCapabilities struct {
	Elicitation *ElicitationCapability
	// Deprecated: sampling is deprecated as of 2026-07-28.
	Sampling *SamplingCapability
	// Deprecated: roots are deprecated as of 2026-07-28.
	Roots        *RootsCapability
	Extensions   map[string]json.RawMessage
	Experimental map[string]json.RawMessage
	Other        map[string]json.RawMessage
}

// ElicitationCapability is the ability to put questions to a user. An empty
// object, as older clients send it, means forms alone.
type ElicitationCapability struct {
	Form *struct{} `json:"form,omitempty"`
	URL  *struct{} `json:"url,omitempty"`
}

// SamplingCapability is the ability to run a server's prompts on the client's
// model.
type SamplingCapability struct {
	Context *struct{} `json:"context,omitempty"`
	Tools   *struct{} `json:"tools,omitempty"`
}

// RootsCapability is the ability to tell the folders that a client works in.
// ListChanged exists up to 2025-11-25.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c ClientCapabilities) MarshalJSON() ([]byte, error) {
	all := make(map[string]any, len(c.Other)+4)
	for key, value := range c.Other {
		all[key] = value
	}
	if c.Elicitation != nil {
		all["elicitation"] = c.Elicitation
	}
	if c.Sampling != nil {
		all["sampling"] = c.Sampling
	}
	if c.Roots != nil {
		all["roots"] = c.Roots
	}
	if c.Extensions != nil {
		all["extensions"] = c.Extensions
	}
	if c.Experimental != nil {
		all["experimental"] = c.Experimental
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *ClientCapabilities) UnmarshalJSON(data []byte) error {
	var known struct {
		Elicitation  *ElicitationCapability     `json:"elicitation"`
		Sampling     *SamplingCapability        `json:"sampling"`
		Roots        *RootsCapability           `json:"roots"`
		Extensions   map[string]json.RawMessage `json:"extensions"`
		Experimental map[string]json.RawMessage `json:"experimental"`
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return err
	}
	other, err := unknownMembers(data, "elicitation", "sampling", "roots", "extensions", "experimental")
	if err != nil {
		return err
	}
	*c = ClientCapabilities{known.Elicitation, known.Sampling, known.Roots, known.Extensions, known.Experimental, other}
	return nil
}

// ServerCapabilities is what a server offers (2026-07-28, ServerCapabilities).
// The set is open: members that are not known here are kept in Other.
type ServerCapabilities struct {
	Tools        *ListCapability
	Prompts      *ListCapability
	Resources    *ResourcesCapability
	Completions  *struct{}
	Logging      *struct{}
	Extensions   map[string]json.RawMessage
	Experimental map[string]json.RawMessage
	Other        map[string]json.RawMessage
}

// ListCapability is the offer of a list. ListChanged promises a notification
// when it changes.
type ListCapability struct {
	ListChanged bool `json:"listChanged,omitempty"`
}

// ResourcesCapability is the offer of resources.
type ResourcesCapability struct {
	Subscribe   bool `json:"subscribe,omitempty"`
	ListChanged bool `json:"listChanged,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c ServerCapabilities) MarshalJSON() ([]byte, error) {
	all := make(map[string]any, len(c.Other)+4)
	for key, value := range c.Other {
		all[key] = value
	}
	if c.Tools != nil {
		all["tools"] = c.Tools
	}
	if c.Prompts != nil {
		all["prompts"] = c.Prompts
	}
	if c.Resources != nil {
		all["resources"] = c.Resources
	}
	if c.Completions != nil {
		all["completions"] = c.Completions
	}
	if c.Logging != nil {
		all["logging"] = c.Logging
	}
	if c.Extensions != nil {
		all["extensions"] = c.Extensions
	}
	if c.Experimental != nil {
		all["experimental"] = c.Experimental
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *ServerCapabilities) UnmarshalJSON(data []byte) error {
	var known struct {
		Tools        *ListCapability            `json:"tools"`
		Prompts      *ListCapability            `json:"prompts"`
		Resources    *ResourcesCapability       `json:"resources"`
		Completions  *struct{}                  `json:"completions"`
		Logging      *struct{}                  `json:"logging"`
		Extensions   map[string]json.RawMessage `json:"extensions"`
		Experimental map[string]json.RawMessage `json:"experimental"`
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return err
	}
	other, err := unknownMembers(data, "tools", "prompts", "resources", "completions", "logging", "extensions", "experimental")
	if err != nil {
		return err
	}
	*c = ServerCapabilities{known.Tools, known.Prompts, known.Resources, known.Completions, known.Logging, known.Extensions, known.Experimental, other}
	return nil
}

// unknownMembers returns the members of an object other than the known ones.
func unknownMembers(data []byte, known ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, key := range known {
		delete(all, key)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}
