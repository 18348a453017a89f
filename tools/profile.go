package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
)

// Profile selects and changes the features of sets. The zero value changes nothing.
type Profile struct {
	// Allow names the tools to offer; nil means all.
	Allow []string
	// Deny names tools that are left out, allowed or not.
	Deny []string
	// ReadOnly leaves out all tools without the read-only annotation. It affects the list only; Go callers are restricted by a
	// read-only Root.
	ReadOnly bool
	// Names lists tools under other names, by their own. The own name can be called, too, and texts that advise to call the tool
	// have the other name. All other fields use own names.
	Names map[string]string
	// Aliases are further names of tools, by alias. They can be called and are
	// not listed, so that they cost no model anything.
	Aliases map[string]string
	// OtherSpelling makes an alias of the other usual spelling of every name:
	// readFile of read_file, create_issue of createIssue. Arguments are accepted
	// under their other spelling, too, and under names that models often use
	// for them, such as file_path for path and old_string for oldText, if only
	// one argument can be meant.
	OtherSpelling bool
	// ArgumentNames lists arguments of all tools under other names, by their own: {"filePath": "path"} gives the same thing one
	// name in tools of several sets. The own name is accepted, too. An argument keeps its name if another one has the new name,
	// and if the tool takes undeclared arguments or has a schema with combinations.
	ArgumentNames map[string]string
	// NoOutputSchemas omits output schemas from the list, which halves its size for a model.
	NoOutputSchemas bool
	// Structured decides which clients receive the structured content of results; see
	// mcp.StructuredPolicy. Empty leaves the policy to the tools and their server.
	Structured mcp.StructuredPolicy
	// Timeout replaces the tools' own time limits. 0 leaves them.
	Timeout time.Duration
	// Concurrency is how many calls run at once, over all connections; see
	// mcp.Gate. 0 sets no limit.
	Concurrency int
	// Defaults and Enums replace defaults and allowed values of parameters: by tool, then by property path. They apply to the
	// schema, to validation and to the call.
	Defaults map[string]map[string]any
	Enums    map[string]map[string][]any
	// Adapt returns an offered tool with changes, for example another input schema; nil changes nothing. Name and annotations
	// must stay. The other fields apply to the result.
	Adapt func(mcp.ServerTool) mcp.ServerTool
	// Wrap is put around every tool, the first outermost.
	Wrap []mcp.ToolMiddleware
}

// apply returns the tools as the profile has them, or all its problems at once.
func (p Profile) apply(offered []mcp.ServerTool) ([]mcp.ServerTool, error) {
	var problems *multierror.Error
	names := names(offered)
	for what, used := range map[string][]string{
		"allows":               p.Allow,
		"denies":               p.Deny,
		"has defaults for":     slices.Collect(maps.Keys(p.Defaults)),
		"has enumerations for": slices.Collect(maps.Keys(p.Enums)),
		"has another name for": slices.Concat(slices.Collect(maps.Values(p.Aliases)), slices.Collect(maps.Keys(p.Names))),
	} {
		for _, name := range used {
			if !names[name] {
				problems = multierror.Append(problems, fmt.Errorf("the profile %s %q, which no set offers", what, name))
			}
		}
	}
	common := mcp.ToolOptions{Timeout: p.Timeout, NoOutputSchema: p.NoOutputSchemas, Structured: p.Structured}
	if p.Concurrency > 0 {
		common.Gate = mcp.NewGate(p.Concurrency)
	}
	var out []mcp.ServerTool
	for _, t := range offered {
		name := t.Tool().Name
		if p.Adapt != nil && p.offers(t.Tool()) {
			t = p.Adapt(t)
		}
		t = t.With(common).With(mcp.ToolOptions{Defaults: p.Defaults[name], Enums: p.Enums[name]})
		err := t.Err()
		if err == nil {
			t, err = p.nameArguments(t)
		}
		if err == nil {
			err = t.Err()
		}
		if err != nil {
			problems = multierror.Append(problems, err)
			continue
		}
		if p.offers(t.Tool()) {
			out = append(out, t.Wrap(p.Wrap...))
		}
	}
	out, err := p.alias(out, names)
	problems = multierror.Append(problems, err)
	out, err = p.rename(out, names)
	problems = multierror.Append(problems, err)
	return out, sorted(problems)
}

// Offers reports whether Allow and Deny let a tool be offered. ReadOnly, which depends on more than a name, is not looked at.
func (p Profile) Offers(name string) bool {
	return (p.Allow == nil || slices.Contains(p.Allow, name)) && !slices.Contains(p.Deny, name)
}

func (p Profile) offers(t mcp.Tool) bool {
	switch {
	case !p.Offers(t.Name):
		return false
	case p.ReadOnly:
		return t.Annotations != nil && t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
	}
	return true
}

// alias adds the aliases of the selected tools.
func (p Profile) alias(tools []mcp.ServerTool, taken map[string]bool) ([]mcp.ServerTool, error) {
	var problems *multierror.Error
	offered := slices.Clone(tools)
	byName := make(map[string]mcp.ServerTool, len(tools))
	for _, t := range offered {
		byName[t.Tool().Name] = t
	}
	for _, alias := range slices.Sorted(maps.Keys(p.Aliases)) {
		t, ok := byName[p.Aliases[alias]]
		switch {
		case taken[alias]:
			problems = multierror.Append(problems, fmt.Errorf("the profile calls %q by the name %q, which a tool has already", p.Aliases[alias], alias))
		case ok:
			tools = append(tools, t.Named(alias).With(mcp.ToolOptions{Unlisted: true}))
		}
	}
	if p.OtherSpelling {
		for _, t := range offered {
			alias := otherSpelling(t.Tool().Name)
			if _, named := p.Aliases[alias]; alias != "" && !taken[alias] && !named {
				tools = append(tools, t.Named(alias).With(mcp.ToolOptions{Unlisted: true}))
			}
		}
	}
	return tools, problems.ErrorOrNil()
}

// rename lists tools under the names of Names, and makes aliases of their own names.
func (p Profile) rename(tools []mcp.ServerTool, taken map[string]bool) ([]mcp.ServerTool, error) {
	var problems *multierror.Error
	used := names(tools)
	for i, t := range tools {
		own := t.Tool().Name
		name := p.Names[own]
		switch {
		case name == "" || name == own:
		case taken[name] || used[name]:
			problems = multierror.Append(problems, fmt.Errorf("the profile lists %q under the name %q, which a tool has already", own, name))
		default:
			used[name] = true
			tools[i] = t.Named(name)
			tools = append(tools, t.With(mcp.ToolOptions{Unlisted: true}))
		}
	}
	return tools, problems.ErrorOrNil()
}

// otherSpelling turns snake_case into camelCase and the other way round; it is
// empty for a name of one word.
func otherSpelling(name string) string {
	var b strings.Builder
	for i, c := range name {
		switch {
		case c == '_' && i > 0 && i < len(name)-1:
		case i > 0 && name[i-1] == '_':
			b.WriteRune(unicode.ToUpper(c))
		case i > 0 && unicode.IsUpper(c):
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	if b.String() == name {
		return ""
	}
	return b.String()
}

// sorted makes the order of problems independent of that of maps, and their
// text one line.
func sorted(problems *multierror.Error) error {
	if problems.ErrorOrNil() == nil {
		return nil
	}
	slices.SortFunc(problems.Errors, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	problems.ErrorFormat = func(errs []error) string {
		return strings.ReplaceAll(errors.Join(errs...).Error(), "\n", "; ")
	}
	return problems
}
