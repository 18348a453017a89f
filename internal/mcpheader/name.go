package mcpheader

import (
	"fmt"
	"net/http"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// The headers of a request, as net/http spells them.
const (
	Version = "Mcp-Protocol-Version"
	Method  = "Mcp-Method"
	Name    = "Mcp-Name"
	// SessionID names the session of an older revision (2025-11-25, basic/transports, "Session Management").
	SessionID = "Mcp-Session-Id"
	// LastEventID names the last event that the client has received (2025-11-25, basic/transports, "Resumability and Redelivery").
	LastEventID = "Last-Event-Id"
)

// nameMember is the member of a method's params that Mcp-Name repeats, or "".
func nameMember(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

// NameOf returns the value of the header Mcp-Name for a request. ok is false if the method has no such header or the
// params lack the member; the caller reports malformed params elsewhere. A duplicate member is an error, because two
// readers could use different values.
func NameOf(method string, params []byte) (name string, ok bool, err error) {
	member := nameMember(method)
	if member == "" || len(params) == 0 || params[0] != '{' {
		return "", false, nil
	}
	members := jsonx.Object(params)
	for members.Next() {
		if !named(&members, member) {
			continue
		}
		if ok {
			return "", false, fmt.Errorf("the member %q of params appears twice", member)
		}
		if members.Value()[0] != '"' {
			return "", false, nil
		}
		if name, err = jsonx.Unquote(members.Value()); err != nil {
			return "", false, err
		}
		ok = true
	}
	return name, ok, members.Err()
}

// named reports whether the current member has the name.
func named(m *jsonx.Members, name string) bool {
	if m.Escaped() {
		return m.Name() == name
	}
	return string(m.Key()) == name
}

// SetStandard sets Mcp-Method and, where the method has it, Mcp-Name.
func SetStandard(h http.Header, method string, params []byte) error {
	h.Set(Method, method)
	name, ok, err := NameOf(method, params)
	if err != nil || !ok {
		return err
	}
	h.Set(Name, Encode(name))
	return nil
}

// CheckStandard compares Mcp-Method and, where the method has it, Mcp-Name with
// the request.
func CheckStandard(h http.Header, method string, params []byte) error {
	got, present, err := single(h, Method)
	switch {
	case err != nil:
		return err
	case !present:
		return fmt.Errorf("the header %s is missing; it repeats the method, %q", Method, method)
	case got != method:
		return fmt.Errorf("the header %s is %q and the method is %q", Method, got, method)
	}
	want, ok, err := NameOf(method, params)
	if err != nil || !ok {
		return err
	}
	value, present, err := single(h, Name)
	switch {
	case err != nil:
		return err
	case !present:
		return fmt.Errorf("the header %s is missing; it repeats params.%s, %q", Name, nameMember(method), want)
	}
	if got, err = Decode(value); err != nil {
		return fmt.Errorf("the header %s: %w", Name, err)
	}
	if got != want {
		return fmt.Errorf("the header %s is %q and params.%s is %q", Name, got, nameMember(method), want)
	}
	return nil
}

// single returns the value of a header that must not come twice.
func single(h http.Header, key string) (value string, present bool, err error) {
	switch values := h[key]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", true, fmt.Errorf("the header %s comes more than once", key)
}

// CheckVersion compares Mcp-Protocol-Version with the revision that the request
// itself names.
func CheckVersion(h http.Header, revision string) error {
	got, present, err := single(h, Version)
	switch {
	case err != nil:
		return err
	case !present:
		return fmt.Errorf("the header MCP-Protocol-Version is missing; it repeats the revision in _meta, %q", revision)
	case got != revision:
		return fmt.Errorf("the header MCP-Protocol-Version is %q and the revision in _meta is %q", got, revision)
	}
	return nil
}
