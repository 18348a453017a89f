package roles

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/config"
)

// Limits of a role, in characters where it is text.
const (
	maxID      = 64
	maxName    = 100
	maxPrompt  = 65_536
	maxHealth  = 4_096
	maxTools   = 200
	maxTimeout = 24 * time.Hour
)

// defaultHealthCheck is the HealthCheckPrompt of roles without one.
const defaultHealthCheck = "Hello, respond with exactly: OK"

// field is a member of a role in the file.
type field struct {
	name     string
	required bool
	allowed  string // description of valid values, for problems
	// read sets the field of a role; it returns false for an invalid value.
	read func(*Role, config.Node) bool
	// write returns the value for the file. Unless always is set, an empty value is omitted.
	write  func(Role) config.Node
	always bool
}

// fields returns all fields in the order of the file.
func fields() []field {
	return []field{
		{"id", true, fmt.Sprintf("1 to %d letters, digits, - and _, beginning with a letter or digit", maxID), readID, func(r Role) config.Node { return text(r.ID) }, true},
		line("name", false, maxName, func(r *Role) *string { return &r.Name }),
		{"model", true, "the identifier of a model, without spaces", readModel, func(r Role) config.Node { return text(r.Model) }, true},
		prompt("systemPrompt", maxPrompt, func(r *Role) *string { return &r.SystemPrompt }),
		prompt("healthCheckPrompt", maxHealth, func(r *Role) *string { return &r.HealthCheckPrompt }),
		{"tools", false, fmt.Sprintf("a list of up to %d permissions in the executor's words, such as \"Shell(git)\"", maxTools), readTools, writeTools, true},
		{"readOnly", false, "true or false", readReadOnly, func(r Role) config.Node { return flag(r.ReadOnly) }, false},
		{"executor", false, "the name of an executor, such as cursor", readExecutor, func(r Role) config.Node { return text(r.Executor) }, false},
		{"isolation", false, fmt.Sprintf("%s or %s", record.Shared, record.Worktree), readIsolation, func(r Role) config.Node { return text(string(r.Isolation)) }, false},
		{"timeout_ms", false, fmt.Sprintf("a whole number of milliseconds from 1 to %d", maxTimeout.Milliseconds()), readTimeout, writeTimeout, false},
	}
}

// present reports whether a value is written to the file.
func (f field) present(n config.Node) bool {
	return f.always || n.Kind == config.Number || n.Text != "" && (n.Kind != config.Bool || n.Text != "false")
}

func text(s string) config.Node { return config.Node{Kind: config.String, Text: s} }

func flag(b bool) config.Node { return config.Node{Kind: config.Bool, Text: strconv.FormatBool(b)} }

// line returns a field of text on one line.
func line(name string, required bool, most int, at func(*Role) *string) field {
	return field{
		name, required, fmt.Sprintf("text of 1 to %d characters on one line", most),
		func(r *Role, n config.Node) bool {
			*at(r) = n.Text
			return n.Kind == config.String && n.Text != "" && utf8.RuneCountInString(n.Text) <= most && utf8.ValidString(n.Text) && !strings.ContainsFunc(n.Text, unicode.IsControl)
		},
		func(r Role) config.Node { return text(*at(&r)) }, true,
	}
}

// prompt returns a field of text on several lines. Trailing empty lines are ignored.
func prompt(name string, most int, at func(*Role) *string) field {
	return field{
		name, false, fmt.Sprintf("text of up to %d characters", most),
		func(r *Role, n config.Node) bool {
			*at(r) = normalizeText(n.Text)
			control := func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }
			return n.Kind == config.String && utf8.RuneCountInString(n.Text) <= most && utf8.ValidString(n.Text) && !strings.ContainsFunc(*at(r), control)
		},
		func(r Role) config.Node {
			s := *at(&r)
			if strings.Contains(s, "\n") {
				s += "\n"
			}
			return text(s)
		}, true,
	}
}

// normalizeText returns text with \n as line ends and without trailing ones.
func normalizeText(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

var (
	validID    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	validModel = regexp.MustCompile(`^[^-\s\pC][^\s\pC]*$`)
)

func readID(r *Role, n config.Node) bool {
	r.ID = n.Text
	return n.Kind == config.String && len(n.Text) <= maxID && validID.MatchString(n.Text)
}

func readModel(r *Role, n config.Node) bool {
	r.Model = n.Text
	return n.Kind == config.String && len(n.Text) <= 2*maxName && validModel.MatchString(n.Text)
}

func readExecutor(r *Role, n config.Node) bool {
	r.Executor = n.Text
	return n.Kind == config.String && executor.CheckName(n.Text) == nil
}

func readTools(r *Role, n config.Node) bool {
	if n.Kind != config.List || len(n.Elements) > maxTools {
		return false
	}
	r.Tools = make([]string, 0, len(n.Elements))
	one := line("", false, 2*maxName, func(r *Role) *string { return &r.Name })
	for _, e := range n.Elements {
		if !one.read(&Role{}, e) {
			return false
		}
		r.Tools = append(r.Tools, e.Text)
	}
	return true
}

func writeTools(r Role) config.Node {
	n := config.Node{Kind: config.List}
	for _, t := range r.Tools {
		n.Elements = append(n.Elements, text(t))
	}
	return n
}

func readReadOnly(r *Role, n config.Node) bool {
	r.ReadOnly = n.Text == "true"
	return n.Kind == config.Bool
}

func readIsolation(r *Role, n config.Node) bool {
	if r.Isolation = record.Isolation(n.Text); r.Isolation == record.Shared {
		r.Isolation = ""
	}
	return n.Kind == config.String && (r.Isolation == "" || r.Isolation == record.Worktree)
}

func readTimeout(r *Role, n config.Node) bool {
	ms, err := strconv.ParseInt(n.Text, 10, 64)
	r.Timeout = time.Duration(ms) * time.Millisecond
	return err == nil && n.Kind == config.Number && ms > 0 && ms <= maxTimeout.Milliseconds()
}

func writeTimeout(r Role) config.Node {
	if r.Timeout == 0 {
		return config.Node{}
	}
	return config.Node{Kind: config.Number, Text: strconv.FormatInt(r.Timeout.Milliseconds(), 10)}
}

// normalized returns the role as the file represents it, with its defaults.
func (r Role) normalized() Role {
	if r.Isolation == record.Shared {
		r.Isolation = ""
	}
	if r.Name == "" {
		r.Name = r.ID
	}
	if r.HealthCheckPrompt = normalizeText(r.HealthCheckPrompt); r.HealthCheckPrompt == "" {
		r.HealthCheckPrompt = defaultHealthCheck
	}
	r.SystemPrompt = normalizeText(r.SystemPrompt)
	r.Timeout = r.Timeout.Truncate(time.Millisecond)
	return r
}

// check returns an ErrInvalid that names the invalid field and the valid values.
func check(r Role) error {
	for _, f := range fields() {
		if n := f.write(r); f.present(n) && !f.read(new(Role), n) {
			return fmt.Errorf("%w: %s: received %s, allowed is %s", ErrInvalid, f.name, formatValue(n), f.allowed)
		}
	}
	if r.Timeout < 0 {
		return fmt.Errorf("%w: timeout_ms is negative", ErrInvalid)
	}
	return nil
}

// formatValue returns a value in the form of a problem, at most 80 bytes.
func formatValue(n config.Node) string {
	const most = 80
	switch n.Kind {
	case config.Object:
		return "a mapping"
	case config.String:
		n.Text = n.Text[:min(len(n.Text), 4*most)]
	}
	return truncate.Cut(n.JSON(), most)
}
