package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// offers are the programs with flags that determine their tools.
var offers = [][]string{
	{"cursorcli", "-profile=cursorcli"}, {"cursorcli", "-profile=cursorcli-editor"}, {"cursorcli", "-profile=cursorcli-strict"}, {"cursorcli", "-profile=coding"},
	{"cursorcli", "-profile=orchestrator"}, {"cursorcli", "-profile=all"}, {"cursorcli", "-profile=all", "-read-only"},
	{"cursorcli", "-profile=all", "-tools-allowed-tools=read_file,edit_file,execute_command,search_content,run_agent,searchDocuments,git_diff,get_diagnostics"},
	{"cursorcli", "-profile=beside"}, {"cursorcli", "-profile=beside", "-read-only"}, {"cursorcli", "-profile=coding", noPrograms}, {"cursorcli", "-profile=beside", noPrograms}, {"cursorcli", "-profile=all", noPrograms},
	{"editor", "-profile=editor"}, {"editor", "-profile=editor", noPrograms}, {"editor", "-profile=editor-strict"}, {"editor", "-profile=editor", "-git", "-debug"}, {"editor", "-profile=editor", "-read-only"},
	{"chunks", "-profile=chunks"}, {"chunks", "-profile=chunks-strict"}, {"chunks", "-profile=chunks", "-graph"}, {"chunks", "-read-only"},
	{"cqm"},
	{"kuromajutsu"},
	{"gateway"},
}

// noPrograms, as the last flag, stands for a machine without language servers, git and other programs.
const noPrograms = "PATH="

// severalParts matches a name with several parts: snake_case or camelCase.
var severalParts = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]*)+\b`)

// offered is a server of one program and flags, with its tools.
type offered struct {
	name    string
	client  *mcp.Client
	tools   map[string]tool
	members map[string]bool // of all arguments and results of its tools
}

// tool is the description of a tool as a client receives it.
type tool struct {
	text   string // description of the tool and its parameters
	schema schema
}

// schema is the part of a JSON Schema from which arguments are generated.
type schema struct {
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
}

// TestToolTexts_OfferedNames calls every tool of every profile with ordinary and with invalid arguments. Descriptions, instructions, results and
// errors must name only tools that the server offers, and parameters of its tools.
func TestToolTexts_OfferedNames(t *testing.T) {
	t.Parallel()
	programs := make(map[string]string)
	for _, o := range offers {
		if programs[o[0]] == "" {
			programs[o[0]] = builder.Build(t, "../../../examples/"+o[0], false)
		}
	}
	var servers []*offered
	tools, members := make(map[string]bool), make(map[string]bool)
	for _, o := range offers {
		s := startOffered(t, programs[o[0]], o)
		servers = append(servers, s)
		for name := range s.tools {
			tools[name] = true
		}
		maps.Copy(members, s.members)
	}
	if len(tools) < 70 || len(members) < 80 {
		t.Fatalf("%d tools with %d members", len(tools), len(members))
	}
	codes := make(chan string, 1<<20)
	whole := !strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	t.Cleanup(func() {
		close(codes)
		seen := make(map[string]int)
		calls := 0
		for code := range codes {
			seen[code]++
			calls++
		}
		t.Logf("%d calls, codes %v", calls, seen)
		if whole && (calls < 5000 || len(seen) < 20) {
			t.Errorf("%d calls with %d error codes are too few", calls, len(seen))
		}
	})
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			reported := make(map[string]bool)
			check := func(place, text string) {
				for _, name := range severalParts.FindAllString(text, -1) {
					_, isTool := s.tools[name]
					if reported[name] || isTool || s.members[name] || !tools[name] && !members[name] {
						continue
					}
					reported[name] = true
					t.Errorf("%s: %q names %s, which this server does not offer", place, text, name)
				}
			}
			check("instructions", s.client.Server().Instructions)
			for name, d := range s.tools {
				check("description of "+name, d.text)
			}
			for _, name := range slices.Sorted(maps.Keys(s.tools)) {
				calls := s.tools[name].schema.wrong()
				if !strings.HasSuffix(s.name, "-strict") { // results of strict profiles may name members that they lack
					calls = append(calls, s.tools[name].schema.full())
				}
				for _, arguments := range calls {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					result, err := s.client.CallTool(ctx, name, arguments, nil)
					cancel()
					place := fmt.Sprintf("%s %.200v", name, arguments)
					if err != nil {
						if refused := (*protocol.Error)(nil); !errors.As(err, &refused) {
							t.Fatalf("%s: %v", place, err)
						}
						check(place, err.Error())
						continue
					}
					for _, block := range result.Content {
						if text, ok := block.(mcp.TextContent); ok {
							check(place, text.Text)
						}
					}
					codes <- cmp.Or(result.ErrorCode(), "none")
				}
			}
		})
	}
}

// startOffered starts a program in a project of its own.
func startOffered(t *testing.T, program string, o []string) *offered {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { greet() }\n\nfunc greet() {}\n",
		"web/app.ts": "export function start() { return 1 }\n", "notes.md": "# Notes\n", "data.bin": "\x00\x01\x02", "other.zig": "fn main() void {}\n",
		"gateway.json": `{"mcpServers":{}}`,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME="}
	flags := o[1:]
	if o[len(o)-1] == noPrograms {
		flags, env = o[1:len(o)-1], append(env, "PATH="+t.TempDir())
	}
	args := append([]string{"serve", "-root", dir, "-output-schemas"}, flags...)
	if o[0] == "gateway" {
		args = []string{"serve", "-config", filepath.Join(dir, "gateway.json")}
	}
	client, err := mcp.Connect(t.Context(), &transport.Command{
		Path: program, Args: args, Dir: dir, Env: env,
	}, mcp.Implementation{Name: "advice", Version: "1"}, &mcp.ClientOptions{})
	if err != nil {
		t.Fatalf("%v: %v", o, err)
	}
	t.Cleanup(func() { _ = client.Close() })
	s := &offered{name: strings.Join(o, " "), client: client, tools: make(map[string]tool), members: make(map[string]bool)}
	for listed, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		d := tool{text: listed.Description}
		if err := json.Unmarshal(listed.InputSchema, &d.schema); err != nil {
			t.Fatalf("%s: %v", listed.Name, err)
		}
		for _, text := range describedBy.FindAllStringSubmatch(string(listed.InputSchema), -1) {
			d.text += "\n" + strings.ReplaceAll(text[1], `\n`, "\n")
		}
		s.tools[listed.Name] = d
		for _, raw := range []json.RawMessage{listed.InputSchema, listed.OutputSchema} {
			for _, name := range severalParts.FindAllString(withoutDescriptions(raw), -1) {
				s.members[name] = true
			}
		}
	}
	return s
}

var describedBy = regexp.MustCompile(`"description":"((?:[^"\\]|\\.)*)"`)

func withoutDescriptions(schema json.RawMessage) string {
	return describedBy.ReplaceAllString(string(schema), "")
}

// wrong returns invalid or unusual arguments: each member in turn has odd values, the other required members have ordinary ones.
func (s schema) wrong() []map[string]any {
	usual := func() map[string]any {
		arguments := make(map[string]any)
		for _, name := range s.Required {
			arguments[name] = s.Properties[name].usual(name)
		}
		return arguments
	}
	all := []map[string]any{{}, usual()}
	unknown := usual()
	unknown["noSuchMember"] = 1
	all = append(all, unknown)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, value := range s.Properties[name].odd() {
			arguments := usual()
			arguments[name] = value
			all = append(all, arguments)
		}
	}
	return all
}

// full returns arguments with an ordinary value of each member.
func (s schema) full() map[string]any {
	arguments := make(map[string]any)
	for name, member := range s.Properties {
		arguments[name] = member.usual(name)
	}
	return arguments
}

// usual returns an ordinary value of a member.
func (s schema) usual(name string) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.is("integer"), s.is("number"):
		return 1
	case s.is("boolean"):
		return false
	case s.is("array"):
		if s.Items == nil {
			return []any{}
		}
		return []any{s.Items.usual(name)}
	case s.is("object"):
		arguments := make(map[string]any)
		for _, name := range s.Required {
			arguments[name] = s.Properties[name].usual(name)
		}
		return arguments
	case strings.Contains(strings.ToLower(name), "path"), strings.Contains(strings.ToLower(name), "file"):
		return "main.go"
	}
	return "greet"
}

// odd returns values that are invalid for a member, or name something that does not exist or is not allowed.
func (s schema) odd() []any {
	values := []any{[]any{map[string]any{}}}
	switch {
	case len(s.Enum) > 0:
		return append(append(values, "noSuchChoice"), s.Enum...)
	case s.is("integer"), s.is("number"):
		return append(values, -1, 0, 3, 1e6)
	case s.is("boolean"):
		return append(values, true, false)
	case s.is("array"):
		return append(values, []any{}, []any{"none/here.go"}, []any{"../outside"})
	case s.is("object"):
		return append(values, map[string]any{})
	}
	values = append(values, "", "none/here.go", ".")
	if os.Getenv("DOUGU_LEVEL") == "deep" {
		values = append(values, "../outside", "data.bin", "other.zig", "main.go", ".git/config", "main", "0", strings.Repeat("long ", 3000))
	}
	return values
}

func (s schema) is(kind string) bool {
	if list, ok := s.Type.([]any); ok {
		return slices.Contains(list, any(kind))
	}
	return s.Type == kind
}
