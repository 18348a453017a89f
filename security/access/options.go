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

// Options are the settings of a Control. The zero value lets any client in, ten
// at once, 120 requests a minute and 3600 an hour from each principal or host, and lets
// all of them use every tool.
type Options struct {
	// Allowed are the clients that may use the server: the kinds that Detect knows,
	// Unknown among them, names that clients give themselves, in any case, and "*"
	// for all. Nil is "*"; an empty list lets nobody in.
	Allowed []string
	// MaxConnections is how many sessions there are at once. Default 10; negative
	// for as many as can be remembered, 65536. A principal, or another host without
	// one, has at most as many places as it leaves free, and always the first one
	// while there is one: alone it gets half of them. Clients of this machine that
	// were not authenticated may have all.
	MaxConnections int
	// Idle is after how long a session that asks nothing gives its place up.
	// Default 5 minutes. One whose connection is seen to end does so at once, and
	// one with an open subscription only when there is no other place left.
	Idle time.Duration
	// PerMinute and PerHour are how many requests a principal may make, with all of
	// its sessions together. Clients that were not authenticated share those of their
	// host: an IPv4 address, or the first 64 bits of an IPv6 address; behind a proxy
	// that is the proxy's. New sessions and other names of a client bring no more.
	// Default 120 and 3600; negative for no limit. Ping and notifications are free.
	PerMinute, PerHour int
	// Tools are further limits, of calls of a tool a minute, by the tool's name;
	// names that differ in case and underscores alone are of one tool. The same
	// goes for whom they are of.
	Tools map[string]int
	// Grants are the permissions of principals; "*" stands for the principals that
	// are not named, which else have none. Nil grants all to everybody who was
	// authenticated. Whose token is limited to permissions has no others, and needs
	// no entry here, but for transports that tell of a token only whose it is: see
	// auth.Tokens.Grants. See auth.Permits for what stands for several.
	Grants map[string][]string
	// Default are the permissions of those who were not authenticated, as on
	// standard input, where the user's own client is. Nil is all, "*".
	Default []string
	// Log receives refusals, ten a minute of each code. Default: slog.Default().
	Log *slog.Logger
	// OnRefusal, if set, hears of every refusal. It is called concurrently, and the
	// answer waits for it.
	OnRefusal func(*Refusal)
}

// Check tells everything that is wrong with the options: names that mean nothing,
// and limits of tools below 1, which limit nothing.
func (o Options) Check() error {
	var problems []error
	for i, name := range o.Allowed {
		if plain(name) == "" {
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
	check("those who are not authenticated", o.Default)
	for _, principal := range slices.Sorted(maps.Keys(o.Grants)) {
		check(strconv.Quote(principal), o.Grants[principal])
	}
	return errors.Join(problems...)
}

// maxSessions bounds what is remembered of sessions.
const maxSessions = 1 << 16

// settings are options with their defaults, ready to be looked up.
type settings struct {
	Options
	everyone bool
	allowed  map[string]bool // by plain name
	limits   ratelimit.Limits
	tools    map[string]toolLimit // by key
}

// toolLimit is the limit of a tool, under the name that the settings have.
type toolLimit struct {
	name   string
	limits ratelimit.Limits
}

func newSettings(o Options) *settings {
	s := &settings{Options: o, everyone: o.Allowed == nil, allowed: make(map[string]bool), tools: make(map[string]toolLimit)}
	for _, name := range o.Allowed {
		s.everyone = s.everyone || name == "*"
		s.allowed[plain(name)] = true
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
	return s.everyone || s.allowed[c.kind] || c.plain != "" && s.allowed[c.plain]
}

// permits reports whether a principal, or nobody, has a permission; token is what
// their token is limited to, if it is.
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

// toolKey appends the name of a tool without what spellings differ in.
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
