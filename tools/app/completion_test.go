package app_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/app"
)

// completed returns the candidates for the last word.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	var color string
	var loud bool
	var out, errs strings.Builder
	server := &app.App{
		Name: "prog", Version: "1.2.3", Summary: "completes",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&color, "color", "red", "`name` of a color; any other is refused")
			app.Choices(flags, "color", "red", "green", "grey")
			flags.String("root", "", "`directory` of the project")
			flags.String("audit", "", "keep it in this `file`")
			flags.String("text", "", "any `text` (default none)")
			flags.BoolVar(&loud, "loud", false, "speak up")
		},
		Commands: []app.Command{{Name: "show", Args: "FILE", Summary: "show a file"}},
		Stdin:    strings.NewReader(""), Stdout: &out, Stderr: &errs,
	}
	if code := server.Run(t.Context(), append([]string{"__complete"}, words...)); code != 0 || errs.Len() > 0 {
		t.Errorf("%q: exit code %d, %s", words, code, &errs)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestComplete_Candidates(t *testing.T) {
	for _, tc := range []struct{ words, want []string }{
		{[]string{"in"}, []string{"install\tadd the server to the configuration of an MCP client; without CLIENT, offer the clients on this machine"}},
		{[]string{"-loud", "do"}, []string{"doctor\tcheck the program, its settings, the server and the configuration of MCP clients"}},
		{[]string{"-color", "gr"}, []string{"green", "grey"}},
		{[]string{"-color", `""`}, []string{"red", "green", "grey"}},
		{[]string{"--color=gre"}, []string{"--color=green", "--color=grey"}},
		{[]string{"tools", "-col"}, []string{"-color\tname of a color"}},
		{[]string{"tools", "--te"}, []string{"--text\tany text"}},
		{[]string{"-loud=f"}, []string{"-loud=false"}},
		{[]string{"-root", "x"}, []string{":directory"}},
		{[]string{"-root=x"}, []string{":directory"}},
		{[]string{"-audit", ""}, []string{":file"}},
		{[]string{"-text", ""}, []string{""}},
		{[]string{"show", ""}, []string{":file"}},
		{[]string{"call", ""}, []string{""}},
		{[]string{"-log-level", "w"}, []string{"warn"}},
		{[]string{"completion", "f"}, []string{"fish"}},
		{[]string{"install", "claude-d"}, []string{"claude-desktop\tClaude Desktop"}},
		{[]string{"install", "-col"}, []string{"-color\tname of a color"}},
		{[]string{"install", "-color", "r"}, []string{"red"}},
		{[]string{"install", "cursor", "--", "-colo"}, []string{"-color\tname of a color"}},
		{[]string{"install", "cursor", "--", "-color", "r"}, []string{"red"}},
		{[]string{"show", "a.txt", "-col"}, []string{"-color\tname of a color"}},
		{[]string{"show", "--", "-col"}, []string{":file"}},
		{[]string{"help", "do"}, []string{"doctor\tcheck the program, its settings, the server and the configuration of MCP clients"}},
		{[]string{"help", "fl"}, []string{"flags\tlist all flags"}},
		{[]string{"none", ""}, []string{""}},
		{[]string{"-none=x"}, []string{""}},
		{[]string{"---"}, []string{""}},
	} {
		if got := completed(t, tc.words...); !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.words, got, tc.want)
		}
	}
	if got := completed(t); !slices.Contains(got, "version\tprint the version") || !slices.Contains(got, "help\tshow the commands") {
		t.Errorf("nothing yet: %q", got)
	}
}

func TestCompletion_UnknownShell(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}, {"completion", "bash", "zsh"}} {
		if code, out, errs := run(t, "", args...); code != 2 || out != "" || !strings.Contains(errs, "bash, fish, powershell, zsh") {
			t.Errorf("%q: exit code %d, %q, %q", args, code, out, errs)
		}
	}
}

// shell is a shell that knows how to complete the command lines of prog, which is in
// a directory with a file and a directory.
func shell(t *testing.T, name string) (dir, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such shells")
	}
	_, err := exec.LookPath(name)
	testrequire.Deep(t, err == nil, name, "install "+name)
	dir = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "prog"), "./testdata/prog").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, text, errs := run(t, "", "completion", name)
	if code != 0 {
		t.Fatal(errs)
	}
	script = filepath.Join(dir, "script."+name)
	for file, content := range map[string]string{script: text, filepath.Join(dir, "first note"): ""} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "first room"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, script
}

// asks runs a shell in a directory and returns the sorted lines of its output, each up to
// the first tab.
func asks(t *testing.T, dir string, command ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%q: %v, %s", command, err, &errs)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// In bash the words of a line are also divided at "=".
func TestCompletion_Bash(t *testing.T) {
	dir, script := shell(t, "bash")
	for _, tc := range []struct{ words, want string }{
		{"prog inst", "install"},
		{"prog completion z", "zsh"},
		{"prog -root fir", "first room"},
		{"prog -audit fir", "first note,first room"},
		{"prog -root = fir", "first room"},
		{"prog -log-level = w", "warn"},
		{"prog -log-level =", "debug,error,info,warn"},
		{"prog -read-o", "-read-only"},
	} {
		words := strings.Fields(tc.words)
		line := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; _prog_complete; printf '%s\n' "${COMPREPLY[@]}"`
		if got := asks(t, dir, append([]string{"bash", "--norc", "-c", line, "bash", script}, words...)...); strings.Join(got, ",") != tc.want {
			t.Errorf("%s: %q, want %q", tc.words, got, tc.want)
		}
	}
	if got := asks(t, dir, "bash", "--norc", "-c", `source "$1"; complete -p prog`, "bash", script); !slices.Equal(got, []string{"complete -F _prog_complete prog"}) {
		t.Errorf("%q", got)
	}
}

// The functions _describe and _files of zsh are replaced by functions that print candidates.
func TestCompletion_Zsh(t *testing.T) {
	dir, script := shell(t, "zsh")
	for _, tc := range []struct{ words, want string }{
		{"prog inst", "install:add the server to the configuration of an MCP client; without CLIENT, offer the clients on this machine"},
		{"prog completion z", "zsh"},
		{"prog -root fir", "directories"},
		{"prog -audit fir", "files"},
		{"prog -log-level=w", "-log-level=warn"},
	} {
		line := `compdef() { }; _files() { [[ $1 == -/ ]] && print directories || print files }; _describe() { print -l -- "${(@)candidates}" }
			source $1; shift; words=("$@"); CURRENT=$#; PREFIX=${words[-1]}; _prog`
		if got := asks(t, dir, append([]string{"zsh", "-f", "-c", line, "zsh", script}, strings.Fields(tc.words)...)...); strings.Join(got, ",") != tc.want {
			t.Errorf("%s: %q, want %q", tc.words, got, tc.want)
		}
	}
	if got := asks(t, dir, "zsh", "-f", "-c", `autoload -U compinit; compinit -u -D; source $1; print $_comps[prog]`, "zsh", script); !slices.Equal(got, []string{"_prog"}) {
		t.Errorf("%q", got)
	}
}

func TestCompletion_Fish(t *testing.T) {
	dir, script := shell(t, "fish")
	for _, tc := range []struct{ line, want string }{
		{"prog inst", "install"},
		{"prog completion z", "zsh"},
		{"prog -root fir", "first room/"},
		{"prog -audit fir", "first note,first room/"},
		{"prog -root=fir", "-root=first room/"},
		{"prog -log-level=w", "-log-level=warn"},
		{"prog -read-o", "-read-only"},
	} {
		if got := asks(t, dir, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, tc.line); strings.Join(got, ",") != tc.want {
			t.Errorf("%s: %q, want %q", tc.line, got, tc.want)
		}
	}
}
