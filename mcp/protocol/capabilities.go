package protocol

import "encoding/json"

// ClientCapabilities holds the capabilities of a client (2026-07-28, ClientCapabilities). A nil
// field means that the client lacks the capability. Unknown members are preserved in Other.
type ClientCapabilities struct {
	// Elicitation is the capability to ask the user.
	Elicitation *ElicitationCapability
	// Sampling is the capability to run a prompt on the client's model.
	//
	// Deprecated: sampling is deprecated as of 2026-07-28.
	Sampling *SamplingCapability
	// Roots is the capability to list the folders of the client.
	//
	// Deprecated: roots are deprecated as of 2026-07-28.
	Roots *RootsCapability
	// Extensions maps the identifiers of extensions to their settings, JSON objects.
	Extensions map[string]json.RawMessage
	// Experimental maps the names of capabilities outside the specification to their settings.
	Experimental map[string]json.RawMessage
	// Other holds all members that have no field here.
	Other map[string]json.RawMessage
}

// ElicitationCapability is the capability to ask the user questions. An empty object, as older
// clients send it, means forms only.
type ElicitationCapability struct {
	Form *struct{} `json:"form,omitempty"` // Form means questions by a form.
	URL  *struct{} `json:"url,omitempty"`  // URL means pages that the user opens.
}

// SamplingCapability is the capability to run a server's prompts on the client's model.
type SamplingCapability struct {
	Context *struct{} `json:"context,omitempty"` // Context means that the client can include context of other servers.
	Tools   *struct{} `json:"tools,omitempty"`   // Tools means that a request can offer tools to the model.
}

// RootsCapability is the capability to list the folders that a client works in.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitempty"` // ListChanged promises a notification of changes; up to 2025-11-25.
}

// MarshalJSON encodes the fields that are not nil, and the members of Other.
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

// UnmarshalJSON decodes the fields, and collects unknown members in Other.
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

// ServerCapabilities holds the capabilities of a server (2026-07-28, ServerCapabilities). A nil
// field means that the server lacks the capability. Unknown members are preserved in Other.
type ServerCapabilities struct {
	Tools        *ListCapability            // Tools means that the server has tools.
	Prompts      *ListCapability            // Prompts means that the server has prompts.
	Resources    *ResourcesCapability       // Resources means that the server has resources.
	Completions  *struct{}                  // Completions means that the server completes arguments.
	Logging      *struct{}                  // Logging means that the server sends log messages.
	Extensions   map[string]json.RawMessage // Extensions maps the identifiers of extensions to their settings.
	Experimental map[string]json.RawMessage // Experimental maps names outside the specification to their settings.
	Other        map[string]json.RawMessage // Other holds all members that have no field here.
}

// ListCapability announces a list of tools or prompts.
type ListCapability struct {
	ListChanged bool `json:"listChanged,omitempty"` // ListChanged promises a notification when the list changes.
}

// ResourcesCapability announces resources.
type ResourcesCapability struct {
	Subscribe   bool `json:"subscribe,omitempty"`   // Subscribe means that clients can subscribe to a resource.
	ListChanged bool `json:"listChanged,omitempty"` // ListChanged promises a notification when the list changes.
}

// MarshalJSON encodes the fields that are not nil, and the members of Other.
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

// UnmarshalJSON decodes the fields, and collects unknown members in Other.
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

// unknownMembers returns the members of the JSON object data that are not in known, or nil if there
// are none.
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
