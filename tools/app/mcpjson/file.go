package mcpjson

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/nearest"
)

// maxServers bounds the servers of a file.
const maxServers = 1000

// Kind is how a server is reached.
type Kind string

// The kinds.
const (
	Command   Kind = "stdio"
	HTTP      Kind = "http"
	SSE       Kind = "sse" // HTTP+SSE of 2024-11-05 alone
	WebSocket Kind = "ws"
)

// Server is one server of a file, with its variables filled in.
type Server struct {
	Name string
	Kind Kind
	// Of a Command.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// Of the others.
	URL     string
	Headers map[string]string
	// Rules are what the file says to the gateway.
	Rules Rules
	// Digest changes with anything of the above.
	Digest string
}

// Rules are the member "gateway" of a server. The file has them in camel case;
// see gateway.Upstream for what they mean.
type Rules struct {
	Prefix         string            `json:"prefix"`
	Bare           bool              `json:"bare"`
	Allow          []string          `json:"allow"`
	Deny           []string          `json:"deny"`
	Describe       map[string]string `json:"describe"`
	NoInstructions bool              `json:"noInstructions"`
	// Asks is true for a server that is reached over the network unless the file
	// says otherwise, since a connection costs little there.
	Asks *bool `json:"asks"`
	// Timeout is such as "30s".
	Timeout Duration `json:"timeout"`
	// Tokens are bearer tokens by principal: each principal then has a connection
	// of its own, and who has no token cannot use the server.
	Tokens map[string]string `json:"tokens"`
	// PerPrincipal gives each principal a connection of its own without tokens: who
	// is asked for credentials then is for the program to say.
	PerPrincipal bool `json:"perPrincipal"`
	// OAuth, if set, says that tokens come from an authorization server, see
	// Connector.Authorize.
	OAuth *OAuth `json:"oauth"`
}

// OAuth is how tokens are got. Without a client ID the program registers itself. Each
// principal logs in for itself, unless the login is shared.
type OAuth struct {
	Issuer       string   `json:"issuer"` // that has given the credentials
	ClientID     string   `json:"clientId"`
	ClientSecret string   `json:"clientSecret"`
	Scopes       []string `json:"scopes"`
	// SharedLogin is true if one user logs in for all principals, and false if each
	// logs in also where there is a ClientSecret. Nil is false, unless there is a
	// ClientSecret: then the gateway acts with rights of its own, without a login.
	SharedLogin *bool `json:"sharedLogin"`
	// Exchange has the issuer exchange the access token that a principal shows to the
	// gateway for one for the server (RFC 8693), without a login. It needs the
	// gateway's credentials at the issuer, which must be that of the token.
	Exchange bool `json:"exchange"`
}

// IsShared reports whether all principals use one token.
func (o *OAuth) IsShared() bool {
	if o.SharedLogin == nil {
		return o.ClientSecret != "" && !o.Exchange
	}
	return *o.SharedLogin
}

// AsksUser reports whether a user logs in. Otherwise the gateway has rights of its own
// (client credentials, RFC 6749 §4.4).
func (o *OAuth) AsksUser() bool {
	return !o.Exchange && (o.SharedLogin != nil || o.ClientSecret == "")
}

// Duration is a time.Duration that is written as time.ParseDuration reads it.
type Duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a time is a string such as "30s"`)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 {
		return fmt.Errorf(`the time %q is not such as "30s"`, text)
	}
	*d = Duration(parsed)
	return nil
}

// File is what a file says.
type File struct {
	Servers []Server // in order; those that are disabled are left out
	// Asked are the enabled servers in the order of the file, if Parse was given a
	// function that approves servers. Servers has the approved ones alone.
	Asked []Asked
	// Warnings are of what is ignored.
	Warnings []string
}

// Asked is a server that needs approval.
type Asked struct {
	Name string
	// Definition is the server as the file has it, as JSON without blanks: variables
	// have their names, not their values.
	Definition string
	Approved   bool
}

// entry is a server as the file has it.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
	Enabled  *bool             `json:"enabled"`
	Gateway  Rules             `json:"gateway"`
}

// known are the members of a server that mean something, and foreign those of
// clients that mean nothing here.
var (
	known   = []string{"type", "command", "args", "env", "cwd", "url", "headers", "disabled", "enabled", "gateway"}
	foreign = []string{"autoApprove", "alwaysAllow", "disabledTools", "envFile", "description", "name", "timeout", "dev", "gallery", "version", "auth", "oauth", "transport", "trust"}
	ruled   = []string{"prefix", "bare", "allow", "deny", "describe", "noInstructions", "asks", "timeout", "tokens", "perPrincipal", "oauth"}

	oauthMembers = []string{"issuer", "clientId", "clientSecret", "scopes", "sharedLogin", "exchange"}
)

// Parse reads a file. v fills in the variables. All problems are reported at once.
func Parse(data []byte, v Variables) (*File, error) { return ParseApproved(data, v, nil) }

// ParseApproved is Parse for a file that is not the user's own, for example that of a
// project: servers that are not approved are left out, and variables are read
// for no other. A nil function approves all.
func ParseApproved(data []byte, v Variables, approved func(name, definition string) bool) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := jsonx.Valid(data); err != nil {
		return nil, place(data, err)
	}
	servers, err := serversOf(data)
	if err != nil {
		return nil, err
	}
	f := new(File)
	var problems []error
	seen := make(map[string]bool)
	members := jsonx.Object(servers)
	for members.Next() {
		name := members.Name()
		switch {
		case seen[name]:
			problems = append(problems, fmt.Errorf("the server %q is there twice", name))
			continue
		case len(seen) == maxServers:
			return nil, fmt.Errorf("there are more than %d servers", maxServers)
		}
		seen[name] = true
		if !isShowable(name) {
			problems = append(problems, fmt.Errorf("the server %q: its name has characters that cannot be shown", name))
			continue
		}
		s, enabled, err := f.server(name, members.Value(), v, approved)
		if err != nil {
			problems = append(problems, fmt.Errorf("the server %q: %w", name, err))
		} else if enabled {
			f.Servers = append(f.Servers, s)
		}
	}
	return f, errors.Join(problems...)
}

// serversOf finds the object that has the servers.
func serversOf(data []byte) ([]byte, error) {
	var found []byte
	members := jsonx.Object(data)
	for members.Next() {
		if name := members.Name(); name == "mcpServers" || name == "servers" {
			if found != nil {
				return nil, errors.New(`"mcpServers" and "servers" are both there, or one of them twice; keep one`)
			}
			found = members.Value()
		}
	}
	switch {
	case members.Err() != nil:
		return nil, errors.New(`the file is not a JSON object; write {"mcpServers": {…}}`)
	case found == nil:
		return nil, errors.New(`there is neither "mcpServers" nor "servers"; write {"mcpServers": {…}}`)
	case found[0] != '{':
		return nil, errors.New("the servers are not an object by name")
	}
	return found, nil
}

// place tells where a file is malformed.
func place(data []byte, err error) error {
	var syntax *jsonx.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(syntax.Offset, len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	hint := ""
	if syntax.Offset < len(data) && data[syntax.Offset] == '/' {
		hint = "; comments are not allowed in JSON"
	}
	return fmt.Errorf("line %d, column %d: %s%s", line, column, syntax.Msg, hint)
}

// server reads one server.
func (f *File) server(name string, raw []byte, v Variables, approved func(name, definition string) bool) (s Server, enabled bool, err error) {
	if err := checkMembers(raw, known, ""); err != nil {
		return s, false, err
	}
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return s, false, err
	}
	f.unknown(name, raw, known)
	if e.Disabled || e.Enabled != nil && !*e.Enabled {
		return s, false, nil
	}
	if approved != nil {
		var definition bytes.Buffer
		if err := json.Compact(&definition, raw); err != nil {
			return s, false, err
		}
		asked := Asked{Name: name, Definition: definition.String()}
		asked.Approved = approved(name, asked.Definition)
		f.Asked = append(f.Asked, asked)
		if !asked.Approved {
			return s, false, nil
		}
	}
	s = Server{Name: name, Command: e.Command, Args: e.Args, Env: e.Env, Dir: e.Cwd, URL: e.URL, Headers: e.Headers, Rules: e.Gateway}
	if s.Kind, err = kindOf(e); err != nil {
		return s, false, err
	}
	if err := s.expand(v); err != nil {
		return s, false, err
	}
	if s.Rules.Asks == nil {
		s.Rules.Asks = new(s.Kind != Command)
	}
	text, err := json.Marshal(s)
	digest := sha256.Sum256(text)
	s.Digest = hex.EncodeToString(digest[:16])
	return s, true, err
}

// checkMembers refuses members that a reader of the file takes for another value than the program: one name twice in an object, and
// the name of a setting in other letters, such as "Args", which package json reads as "args". path is where the object stands.
func checkMembers(raw []byte, names []string, path string) error {
	seen := make(map[string]bool)
	members := jsonx.Object(raw)
	for members.Next() {
		name, at := members.Name(), path+members.Name()
		if seen[name] {
			return fmt.Errorf("%q is there twice", at)
		}
		seen[name] = true
		for _, meant := range names {
			if name != meant && strings.EqualFold(name, meant) {
				return fmt.Errorf("%q must be written %q", at, meant)
			}
		}
		var below []string
		switch {
		case path == "" && name == "gateway":
			below = ruled
		case at == "gateway.oauth":
			below = oauthMembers
		}
		if members.Value()[0] == '{' {
			if err := checkMembers(members.Value(), below, at+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

// isShowable reports whether all characters of a name are seen where the name is shown.
func isShowable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// unknown warns of members that mean nothing.
func (f *File) unknown(name string, raw []byte, known []string) {
	members := jsonx.Object(raw)
	for members.Next() {
		key := members.Name()
		switch {
		case members.Value()[0] != '{':
		case key == "gateway":
			f.unknown(name, members.Value(), ruled)
		case key == "oauth" && slices.Contains(known, "perPrincipal"): // of "gateway"
			f.unknown(name, members.Value(), oauthMembers)
		}
		if slices.Contains(known, key) || slices.Contains(foreign, key) {
			continue
		}
		warning := fmt.Sprintf("the server %q: %q is ignored", name, key)
		if near := nearest.Name(key, known); near != "" {
			warning += fmt.Sprintf("; did you mean %q?", near)
		}
		f.Warnings = append(f.Warnings, warning)
	}
}

// kindOf finds out how a server is reached, by its type or by what else it has.
func kindOf(e entry) (Kind, error) {
	var kind Kind
	switch strings.ToLower(e.Type) {
	case "":
		switch {
		case e.Command != "":
			kind = Command
		case strings.HasPrefix(e.URL, "ws://"), strings.HasPrefix(e.URL, "wss://"):
			kind = WebSocket
		default:
			kind = HTTP
		}
	case "stdio", "local":
		kind = Command
	case "http", "streamable-http", "streamablehttp", "streamable_http", "remote":
		kind = HTTP
	case "sse":
		kind = SSE
	case "ws", "websocket":
		kind = WebSocket
	default:
		return "", fmt.Errorf("the type %q is none of stdio, http, sse and ws", e.Type)
	}
	switch {
	case kind == Command && e.Command == "":
		return "", errors.New(`it needs a "command"`)
	case kind != Command && e.URL == "":
		return "", errors.New(`it needs a "command" or a "url"`)
	case e.Command != "" && e.URL != "":
		return "", errors.New(`it has both a "command" and a "url"; keep one`)
	case kind == Command && (e.Gateway.Tokens != nil || e.Gateway.OAuth != nil):
		return "", errors.New(`"tokens" and "oauth" are for servers with a "url"`)
	case e.Gateway.OAuth != nil && e.Gateway.OAuth.Exchange && (e.Gateway.OAuth.SharedLogin != nil || e.Gateway.OAuth.Issuer == "" || e.Gateway.OAuth.ClientID == ""):
		return "", errors.New(`"exchange" needs the "issuer" and a "clientId" there, and no "sharedLogin"`)
	case e.Gateway.Tokens != nil && e.Gateway.OAuth != nil:
		return "", errors.New(`it has both "tokens" and "oauth"; keep one`)
	}
	return kind, nil
}
