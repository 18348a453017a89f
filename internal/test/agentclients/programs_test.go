package agentclients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// toolTimeout is the time after which programs give a call up, if they have a setting for it.
const toolTimeout = 3 * time.Second

// maxRun is the time after which a program is ended. A run takes half a minute, or a minute on a busy machine.
const maxRun = 4 * time.Minute

// agentProgram is an agent program and the way to run it.
type agentProgram struct {
	name string // of the recording, and of the client for the command install of our programs
	pkg  string // npm package
	bin  string // the program in node_modules/.bin
	// search returns the call with which the model finds the named tools of servers. It is nil if the program lists all tools.
	// Names have the form mcp__SERVER__TOOL.
	search func(names []string) agentmodel.Step
	// searchLimit is the number of tools that one search finds; 0 without a limit.
	searchLimit int
	// configure completes the configuration of the program, which the command install has begun.
	configure   func(r *run)
	environ     func(r *run) []string
	args        func(task string) []string // of a run without an interface
	interactive interactive                // empty if its interface takes minutes to start without a network, or has no key that interrupts
	profile     string                     // profile of cursorcli that the program gets
	stop        []string                   // arguments that end a daemon of the program; nil without a daemon
}

// Keys of a terminal.
const (
	ctrlC  = "\x03"
	escape = "\x1b"
)

// interactive is the interface of a program in a terminal.
type interactive struct {
	args func(task string) []string
	key  string // interrupts a call
}

// agentPrograms are the programs of the matrix.
var agentPrograms = []agentProgram{
	{
		name: "claude-code", pkg: "@anthropic-ai/claude-code", bin: "claude", profile: "beside",
		configure: func(r *run) {
			r.merge(".claude.json", r.servers("mcpServers", object{"type": "stdio"}), object{
				"hasCompletedOnboarding": true, "customApiKeyResponses": object{"approved": []string{"sk-test"}},
				"projects": object{r.project: object{"hasTrustDialogAccepted": true}},
			})
		},
		environ: func(r *run) []string {
			return []string{"ANTHROPIC_BASE_URL=" + r.model, "ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				fmt.Sprintf("MCP_TOOL_TIMEOUT=%d", r.limit.Milliseconds())}
		},
		args: func(task string) []string {
			return []string{"-p", task, "--allowedTools", "mcp__cursorcli,mcp__workfiles,mcp__probe"}
		},
		interactive: interactive{
			args: func(task string) []string { return []string{task, "--allowedTools", "mcp__cursorcli"} },
			key:  escape,
		},
		search: func(names []string) agentmodel.Step {
			return agentmodel.Step{Tool: "ToolSearch", Args: object{"query": "select:" + strings.Join(names, ","), "max_results": 50}}
		},
	},
	{
		name: "codex", pkg: "@openai/codex", bin: "codex", profile: "beside",
		configure: func(r *run) {
			var b strings.Builder
			fmt.Fprintf(&b, "model = \"gpt-5.5\"\nmodel_provider = \"stub\"\n[model_providers.stub]\nname = \"stub\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"STUB_KEY\"\n", r.model+"/v1")
			b.WriteString(r.read(".codex/config.toml"))
			fmt.Fprintf(&b, "[projects.%q]\ntrust_level = \"trusted\"\n", r.project)
			for name, s := range r.missing() {
				fmt.Fprintf(&b, "[mcp_servers.%s]\ncommand = %q\nargs = %s\n", name, s[0], encode(s[1:]))
			}
			limits := fmt.Sprintf("]\ndefault_tools_approval_mode = \"approve\"\ntool_timeout_sec = %v\n", r.limit.Seconds())
			config := b.String()
			for name := range r.commands {
				config = strings.Replace(config, name+"]\n", name+limits, 1)
			}
			r.write(".codex/config.toml", config)
		},
		environ: func(*run) []string { return []string{"STUB_KEY=k"} },
		args: func(task string) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task}
		},
		search: func([]string) agentmodel.Step {
			return agentmodel.Step{Tool: "tool_search", Args: object{"query": "cursorcli workfiles probe", "limit": 50}}
		},
	},
	{
		name: "gemini", pkg: "@google/gemini-cli", bin: "gemini", profile: "beside",
		configure: func(r *run) {
			r.merge(".gemini/settings.json", r.servers("mcpServers", object{"timeout": r.limit.Milliseconds()}), settingsOf("gemini-api-key"))
		},
		environ: func(r *run) []string {
			return []string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=" + r.model, "GEMINI_MODEL=gemini-2.5-pro"}
		},
		args: func(task string) []string { return []string{"--yolo", "-p", task} },
		interactive: interactive{
			args: func(task string) []string { return []string{"--yolo", "-i", task} },
			key:  escape,
		},
	},
	{
		name: "opencode", pkg: "opencode-ai", bin: "opencode", profile: "beside",
		configure: func(r *run) {
			servers := object{}
			for name := range r.commands {
				servers[name] = object{"timeout": r.limit.Milliseconds()}
			}
			for name, s := range r.missing() {
				merge(servers[name].(object), object{"type": "local", "command": s, "enabled": true})
			}
			r.merge(".config/opencode/opencode.json", object{"mcp": servers}, object{
				"model": "stub/stub", "small_model": "stub/stub", "autoupdate": false, "share": "disabled",
				"provider": object{"stub": object{
					"npm": "@ai-sdk/openai-compatible", "name": "stub", "options": object{"baseURL": r.model + "/v1", "apiKey": "k"},
					"models": object{"stub": object{
						"name": "stub", "attachment": true, "tool_call": true, "modalities": object{"input": []string{"text", "image"}, "output": []string{"text"}},
						"limit": map[string]int{"context": 1_000_000, "output": 10_000},
					}},
				}},
			})
		},
		environ: func(*run) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
		},
		args: func(task string) []string { return []string{"run", task} },
	},
	{
		name: "qwen", pkg: "@qwen-code/qwen-code", bin: "qwen", profile: "beside",
		configure: func(r *run) {
			r.merge(".qwen/settings.json", r.servers("mcpServers", object{"timeout": r.limit.Milliseconds()}), settingsOf("openai"))
		},
		environ: func(r *run) []string {
			return []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + r.model + "/v1", "OPENAI_MODEL=gpt-5.5"}
		},
		args: func(task string) []string { return []string{"--yolo", "-p", task} },
		interactive: interactive{
			args: func(task string) []string { return []string{"--yolo", "-i", task} },
			key:  escape,
		},
		search: func(names []string) agentmodel.Step {
			return agentmodel.Step{Tool: "tool_search", Args: object{"query": "select:" + strings.Join(names, ","), "max_results": 20}}
		},
		searchLimit: 20,
	},
	{
		name: "copilot", pkg: "@github/copilot", bin: "copilot", profile: "beside",
		configure: func(r *run) {
			r.merge(".copilot/config.json", object{"trusted_folders": []string{r.project}})
			r.merge(".copilot/mcp-config.json", r.servers("mcpServers", object{"timeout": r.limit.Milliseconds()}))
		},
		environ: func(r *run) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + r.model + "/v1", "COPILOT_PROVIDER_API_KEY=k", "COPILOT_MODEL=gpt-5.4", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"}
		},
		args: func(task string) []string {
			return []string{"-p", task, "--allow-all-tools", "--allow-all-paths", "--disable-builtin-mcps"}
		},
		interactive: interactive{
			args: func(task string) []string {
				return []string{"-i", task, "--allow-all-tools", "--allow-all-paths", "--disable-builtin-mcps"}
			},
			key: ctrlC,
		},
	},
	{
		name: "cline", pkg: "cline", bin: "cline", profile: "cursorcli",
		configure: func(r *run) {
			r.write(".cline/data/settings/providers.json", string(encode(object{
				"version": 1, "lastUsedProvider": "openai-compatible", "modes": object{}, "providers": object{"openai-compatible": object{
					"settings":  object{"provider": "openai-compatible", "apiKey": "k", "model": "gpt-5.5", "baseUrl": r.model + "/v1"},
					"updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
				}},
			})))
			r.merge(".cline/data/settings/cline_mcp_settings.json", r.servers("mcpServers", object{"timeout": r.limit.Seconds()}))
		},
		environ: func(*run) []string { return nil },
		args:    func(task string) []string { return []string{"--auto-approve", "true", task} },
		stop:    []string{"hub", "stop"},
	},
}

// settingsOf returns settings of Gemini CLI and of Qwen Code, which descends from it.
func settingsOf(auth string) object {
	return object{
		"security": object{"auth": object{"selectedType": auth}, "folderTrust": object{"enabled": false}},
		"general":  object{"enableAutoUpdate": false},
		"privacy":  object{"usageStatisticsEnabled": false},
	}
}

// object is a JSON object.
type object = map[string]any

// run is a run of a program: its directories, its model and its servers.
type run struct {
	t                        *testing.T
	program                  agentProgram
	home, project, logs, tmp string
	model                    string              // URL of the stand-in
	limit                    time.Duration       // of a call, for programs with a setting
	commands                 map[string][]string // command lines of the servers, by name
	installed                []string            // names of the servers that the command install has entered
}

// missing returns the command lines of the servers that the command install has not entered.
func (r *run) missing() map[string][]string {
	missing := maps.Clone(r.commands)
	for _, name := range r.installed {
		delete(missing, name)
	}
	return missing
}

// servers returns the entries of the missing servers below key, in the form that most programs share. All servers get the members
// more.
func (r *run) servers(key string, more object) object {
	entries := object{}
	for name := range r.commands {
		entries[name] = maps.Clone(more)
	}
	for name, s := range r.missing() {
		entry := entries[name].(object)
		entry["command"], entry["args"] = s[0], s[1:]
	}
	return object{key: entries}
}

// read returns the content of a file below the home directory, or nothing.
func (r *run) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.home, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(data)
}

// write writes a file below the home directory.
func (r *run) write(name, content string) {
	r.t.Helper()
	writeFile(r.t, filepath.Join(r.home, filepath.FromSlash(name)), content)
}

// merge adds the members of objects to a JSON file below the home directory. Objects of the same name are merged.
func (r *run) merge(name string, objects ...object) {
	r.t.Helper()
	file := object{}
	if content := r.read(name); content != "" {
		if err := json.Unmarshal([]byte(content), &file); err != nil {
			r.t.Fatalf("read %s: %v", name, err)
		}
	}
	for _, o := range objects {
		merge(file, o)
	}
	r.write(name, string(encode(file)))
}

func merge(to, from object) {
	for name, value := range from {
		inner, isObject := value.(object)
		existing, exists := to[name].(object)
		if isObject && exists {
			merge(existing, inner)
		} else if isObject {
			to[name] = object{}
			merge(to[name].(object), inner)
		} else {
			to[name] = value
		}
	}
}

// command returns the program with arguments, in the run's directories and environment.
func (r *run) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(r.t.Context(), maxRun)
	r.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, programPath(r.t, r.program.bin), args...)
	cmd.Dir = r.project
	cmd.Env = append([]string{"HOME=" + r.home, "TMPDIR=" + r.tmp, "PATH=" + pathWithoutGopls(), "LANG=C.UTF-8", "NO_COLOR=1", "TERM=dumb"}, r.program.environ(r)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// programPath returns the path of an installed program.
func programPath(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("programs", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(path)
	testrequire.Deep(t, err == nil, name, "run the two commands in the package comment of internal/test/agentclients")
	return path
}

// version returns the version of the program's package.
func (p agentProgram) version(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("programs", "node_modules", filepath.FromSlash(p.pkg), "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Version
}

// newRun makes the directories of a run.
func newRun(t *testing.T, p agentProgram, model string) *run {
	t.Helper()
	dir := t.TempDir()
	r := &run{t: t, program: p, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), logs: filepath.Join(dir, "logs"), tmp: filepath.Join(dir, "tmp"), model: model, limit: toolTimeout}
	for _, d := range []string{r.home, r.logs, r.tmp} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		writeFile(t, filepath.Join(r.project, "src", "file"+strconv.Itoa(i)+".go"), fmt.Sprintf("package src\n\nconst N%d = %[1]d\n", i))
	}
	writeFile(t, filepath.Join(r.project, "sum.go"), "package main\n\nfunc sum(a, b int) int { return a + b }\n")
	writeFile(t, filepath.Join(r.project, "red.png"), string(picture()))
	writeFile(t, filepath.Join(r.project, "long.txt"), ruler("file", 100_000))
	return r
}

// install enters cursorcli in the configuration of the program with the command install: as users do, and a second time as the server
// workfiles with the tools for files, which programs with tools of their own do not get otherwise.
func (r *run) install(cursorcli string) {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	r.commands = map[string][]string{"probe": {self, probeCommand, r.log()}}
	for name, args := range map[string][]string{"cursorcli": nil, "workfiles": {"-name", "workfiles", "--", "-profile", "cursorcli"}} {
		install := exec.CommandContext(r.t.Context(), cursorcli, append([]string{"install", r.program.name, "-user"}, args...)...)
		install.Dir, install.Env = r.project, []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
		if out, err := install.CombinedOutput(); err != nil {
			r.t.Fatalf("cursorcli install %s: %v\n%s", r.program.name, err, out)
		}
		r.commands[name] = nil
		r.installed = append(r.installed, name)
	}
	r.program.configure(r)
}

// log returns the name of the probe's log.
func (r *run) log() string { return filepath.Join(r.logs, "probe") }

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// encode returns a value as JSON, without escapes for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// pathWithoutGopls returns PATH without the directories that have gopls. The list of cursorcli's tools, which the recordings have,
// depends on the language servers of the machine.
func pathWithoutGopls() string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "gopls"))
		return err == nil
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}
