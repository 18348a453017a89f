package access

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// Options are the settings of a Control. The zero value allows all clients and tools, ten
// concurrent sessions, and 120 requests a minute and 3600 an hour for each principal or host.
type Options struct {
	// Allowed lists the clients that may use the server: kinds of Detect including Unknown, names
	// of clients in any case, and "*" for all. Nil means "*"; an empty list allows none.
	Allowed []string
	// MaxConnections limits the concurrent sessions. Default 10; negative for the maximum of 65536. A
	// principal or remote host may open another session while it has fewer than are free, so alone it
	// gets half of them. Its first session needs only one free place. Unauthenticated clients on this
	// machine may use all.
	MaxConnections int
	// Idle is the time without requests after which a session can be replaced. Default 5 minutes. A
	// session with a closed connection ends at once. A session with an open subscription is
	// replaced only if no other place is free.
	Idle time.Duration
	// PerMinute and PerHour limit the requests of a principal in all its sessions. Clients without
	// authentication share the limits of their host: an IPv4 address or the first 64 bits of an
	// IPv6 address; behind a proxy, the proxy's address. Default 120 and 3600; negative for no
	// limit. Ping and notifications are free.
	PerMinute, PerHour int
	// Tools are additional limits of calls a minute by tool name, for each principal or host. Case,
	// underscores and hyphens in names are ignored.
	Tools map[string]int
	// Grants maps principals to their permissions; "*" applies to principals without an entry,
	// which otherwise have none. Nil grants all permissions to authenticated clients. The
	// permissions of a token limit them further. A token with permissions needs no entry here,
	// except for transports that know only the principal; see auth.Tokens.Grants. For patterns see
	// auth.Permits.
	Grants map[string][]string
	// Default are the permissions of clients without authentication, for example on standard input.
	// Nil means all ("*").
	Default []string
	// Log receives refusals, at most ten a minute of each code. Default slog.Default().
	Log *slog.Logger
	// OnRefusal is called for each refusal, before the response is sent. It must be safe for
	// concurrent use. Optional.
	OnRefusal func(*Refusal)
}

// Check returns all errors in the options: empty names, invalid permissions and tool limits below
// 1.
func (o Options) Check() error {
	var problems []error
	for i, name := range o.Allowed {
		if normalizeName(name) == "" {
			problems = append(problems, fmt.Errorf("the allowed client %d has no name; write \"*\" for all", i+1))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		if n := o.Tools[name]; n < 1 || name == "" {
			problems = append(problems, fmt.Errorf("the tool %q may be called %d times a minute; write 1 or more, or leave it out", name, n))
		}
	}
	check := func(who string, permissions []string) {
		for _, p := range permissions {
			if err := auth.CheckPermission(p); err != nil {
				problems = append(problems, fmt.Errorf("the permission %q of %s: %w", p, who, err))
			}
		}
	}
	check("clients without authentication", o.Default)
	for _, principal := range slices.Sorted(maps.Keys(o.Grants)) {
		check(strconv.Quote(principal), o.Grants[principal])
	}
	return errors.Join(problems...)
}

// maxSessions is the upper limit of MaxConnections.
const maxSessions = 1 << 16

// settings are Options with defaults and lookup tables.
type settings struct {
	Options
	allowAll bool
	allowed  map[string]bool // by normalized name
	limits   ratelimit.Limits
	tools    map[string]toolLimit // by toolKey
}

// toolLimit is the limit of a tool, with its name in the options.
type toolLimit struct {
	name   string
	limits ratelimit.Limits
}

func newSettings(o Options) *settings {
	s := &settings{Options: o, allowAll: o.Allowed == nil, allowed: make(map[string]bool), tools: make(map[string]toolLimit)}
	for _, name := range o.Allowed {
		s.allowAll = s.allowAll || name == "*"
		s.allowed[normalizeName(name)] = true
	}
	switch {
	case o.MaxConnections == 0:
		s.MaxConnections = 10
	case o.MaxConnections < 0 || o.MaxConnections > maxSessions:
		s.MaxConnections = maxSessions
	}
	if o.Idle <= 0 {
		s.Idle = 5 * time.Minute
	}
	s.limits = ratelimit.Limits{PerMinute: orDefault(o.PerMinute, 120), PerHour: orDefault(o.PerHour, 3600)}
	for name, n := range o.Tools {
		s.tools[string(toolKey(nil, name))] = toolLimit{name, ratelimit.Limits{PerMinute: n}}
	}
	if o.Default == nil {
		s.Default = []string{"*"}
	}
	if o.Log == nil {
		s.Log = slog.Default()
	}
	return s
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// allows reports whether a client may use the server.
func (s *settings) allows(c client) bool {
	return s.allowAll || s.allowed[c.kind] || c.normalized != "" && s.allowed[c.normalized]
}

// permits reports whether a principal has a permission; principal is empty without authentication.
// token are the permissions of a limited token.
func (s *settings) permits(principal string, token []string, limited bool, needed string) bool {
	switch {
	case limited && !auth.Permits(token, needed):
		return false
	case principal == "":
		return limited || auth.Permits(s.Default, needed)
	case s.Grants == nil:
		return true
	}
	given, named := s.Grants[principal]
	if !named {
		given, named = s.Grants["*"]
	}
	return auth.Permits(given, needed) || limited && !named
}

// toolKey appends the name of a tool in lower case without underscores and hyphens.
func toolKey[T string | []byte](dst []byte, name T) []byte {
	for i := range min(len(name), maxName) {
		switch c := name[i]; {
		case c == '_' || c == '-':
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
