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

// maxServers is the largest number of servers in a file.
const maxServers = 1000

// Kind is the transport of a server.
type Kind string

// Values of Kind.
const (
	// Command is a child process that speaks MCP on standard input and output.
	Command Kind = "stdio"
	// HTTP is Streamable HTTP.
	HTTP Kind = "http"
	// SSE is HTTP+SSE of revision 2024-11-05 only.
	SSE Kind = "sse"
	// WebSocket is a URL with the scheme ws or wss.
	WebSocket Kind = "ws"
)

// Server is one enabled server of a file, after its variables were replaced.
type Server struct {
	// Name is the key of the server in the file.
	Name string
	Kind Kind
	// Command is the program; Args, Env and Dir are its arguments, environment and
	// directory. They belong to the Kind Command.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// URL is the address; Headers are sent with every request. They belong to the other
	// kinds.
	URL     string
	Headers map[string]string
	// Rules are the settings for the gateway.
	Rules Rules
	// Digest is a hash of all other fields. It changes if one of them changes.
	Digest string
}

// Rules is the member "gateway" of a server. MCP clients ignore it. gateway.Upstream
// documents the fields that have the same name there.
type Rules struct {
	Prefix         string            `json:"prefix"`
	Bare           bool              `json:"bare"`
	Allow          []string          `json:"allow"`
	Deny           []string          `json:"deny"`
	Describe       map[string]string `json:"describe"`
	NoInstructions bool              `json:"noInstructions"`
	// Asks reports that the server sends questions to its client in revisions up to
	// 2025-11-25, see gateway.Upstream.Asks. Default: true for a server with a URL, false
	// for a Command.
	Asks *bool `json:"asks"`
	// Timeout limits a call, for example "30s". Zero is the default of the gateway.
	Timeout Duration `json:"timeout"`
	// Tokens are bearer tokens by principal. Each principal then has its own connection,
	// and a principal without a token cannot use the server.
	Tokens map[string]string `json:"tokens"`
	// PerPrincipal gives each principal its own connection, without Tokens. The credentials of
	// a connection then come from Connector.Authorize, a function of the program that reads
	// the file.
	PerPrincipal bool `json:"perPrincipal"`
	// OAuth, if set, gets tokens from an authorization server. See Connector.Authorize.
	OAuth *OAuth `json:"oauth"`
}

// OAuth describes how the gateway gets access tokens for a server. Without a ClientID the
// program registers itself. Each principal logs in separately, unless SharedLogin is true.
type OAuth struct {
	// Issuer is the URL of the authorization server that issued the client credentials.
	Issuer       string   `json:"issuer"`
	ClientID     string   `json:"clientId"`
	ClientSecret string   `json:"clientSecret"`
	Scopes       []string `json:"scopes"`
	// SharedLogin selects the users who log in:
	//
	//   - true: one user, for all principals.
	//   - false: each principal.
	//   - nil with a ClientSecret: none. The gateway uses its own rights (client credentials).
	//   - nil without a ClientSecret: each principal, as with false.
	SharedLogin *bool `json:"sharedLogin"`
	// Exchange exchanges the access token of the principal for a token of the server (RFC
	// 8693), without a login. It needs client credentials at the Issuer, which must also
	// have issued the principal's token.
	Exchange bool `json:"exchange"`
}

// IsShared reports whether all principals use one token.
func (o *OAuth) IsShared() bool {
	if o.SharedLogin == nil {
		return o.ClientSecret != "" && !o.Exchange
	}
	return *o.SharedLogin
}

// AsksUser reports whether a user has to log in. Otherwise the gateway uses its own rights
// (client credentials, RFC 6749 section 4.4) or exchanges tokens.
func (o *OAuth) AsksUser() bool {
	return !o.Exchange && (o.SharedLogin != nil || o.ClientSecret == "")
}

// Duration is a non-negative time.Duration. Its JSON form is a string for
// time.ParseDuration.
type Duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a time is a string such as "30s"`)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 {
		return fmt.Errorf(`the time %q is not a duration, such as "30s"`, text)
	}
	*d = Duration(parsed)
	return nil
}

// File is the parsed content of a file.
type File struct {
	// Servers are the enabled and approved servers, in the order of the file.
	Servers []Server
	// Asked are all enabled servers in the order of the file, approved or not. It is empty
	// for Parse, which approves all.
	Asked []Asked
	// Warnings describe ignored members, one text each.
	Warnings []string
}

// Asked is a server whose approval was requested.
type Asked struct {
	// Name is the key of the server in the file.
	Name string
	// Definition is the server's JSON in the file, without white space. Variables are not
	// replaced.
	Definition string
	// Approved is the result of the approval function.
	Approved bool
}

// entry is the JSON form of a server.
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

// Names of the members that this package reads: serverMembers of a server, gatewayMembers of its
// member "gateway", and oauthMembers of "gateway.oauth". MCP clients read the foreign members of a
// server; this package ignores them without a warning.
var (
	serverMembers  = []string{"type", "command", "args", "env", "cwd", "url", "headers", "disabled", "enabled", "gateway"}
	foreign        = []string{"autoApprove", "alwaysAllow", "disabledTools", "envFile", "description", "name", "timeout", "dev", "gallery", "version", "auth", "oauth", "transport", "trust"}
	gatewayMembers = []string{"prefix", "bare", "allow", "deny", "describe", "noInstructions", "asks", "timeout", "tokens", "perPrincipal", "oauth"}

	oauthMembers = []string{"issuer", "clientId", "clientSecret", "scopes", "sharedLogin", "exchange"}
)

// Parse parses a file and replaces its variables by the values of v. It reports all
// problems of the servers in one joined error.
func Parse(data []byte, v Variables) (*File, error) { return ParseApproved(data, v, nil) }

// ParseApproved parses a file of a project. It omits servers for which approved returns
// false, and replaces variables only in approved servers. A nil function approves all
// servers.
func ParseApproved(data []byte, v Variables, approved func(name, definition string) bool) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := jsonx.Valid(data); err != nil {
		return nil, locateError(data, err)
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

// serversOf returns the JSON object of the servers.
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

// locateError adds the line and the column to a syntax error.
func locateError(data []byte, err error) error {
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

// server parses one server. enabled is false for a disabled or unapproved server.
func (f *File) server(name string, raw []byte, v Variables, approved func(name, definition string) bool) (s Server, enabled bool, err error) {
	if err := checkMembers(raw, serverMembers, ""); err != nil {
		return s, false, err
	}
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return s, false, err
	}
	f.warnUnknown(name, raw, serverMembers)
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
		s.Rules.Asks = new(s.Kind != Command) // the default, see Rules.Asks
	}
	text, err := json.Marshal(s)
	digest := sha256.Sum256(text)
	s.Digest = hex.EncodeToString(digest[:16])
	return s, true, err
}

// checkMembers refuses members that a human reader can misunderstand: a name that occurs
// twice in an object, and a known name in other letter case, such as "Args", which package
// json accepts as "args". path is the prefix of the object's members.
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
			below = gatewayMembers
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

// isShowable reports whether all characters of a name are printable.
func isShowable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// warnUnknown adds a warning for each member of an object that is neither known nor foreign. known
// is the list of the object's members: of a server, of "gateway" or of "gateway.oauth".
func (f *File) warnUnknown(name string, raw []byte, known []string) {
	members := jsonx.Object(raw)
	for members.Next() {
		key := members.Name()
		switch {
		case members.Value()[0] != '{':
		case key == "gateway":
			f.warnUnknown(name, members.Value(), gatewayMembers)
		case key == "oauth" && slices.Contains(known, "perPrincipal"): // raw is the member "gateway"
			f.warnUnknown(name, members.Value(), oauthMembers)
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

// kindOf determines the transport of a server from its type, or else from its other
// members.
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
