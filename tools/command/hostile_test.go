package command_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/command"
)

// hostile returns scripts that are long, deep or full of what makes a careless check slow.
func hostile() map[string]string {
	const most = 64<<10 - 100
	fill := func(text string) string { return strings.Repeat(text, most/len(text)) }
	return map[string]string{
		"braces":             "echo " + strings.Repeat("{a,b}", 60),
		"nested braces":      "echo " + strings.Repeat("{a,", 500) + strings.Repeat("}", 500),
		"sequences":          "echo {1..999999999999} " + strings.Repeat("{1..50}", 20),
		"braces backwards":   "echo " + strings.Repeat("}{a,b", 500),
		"loops in loops":     strings.Repeat("for i in 1 2 3; do ", 500) + "ls" + strings.Repeat("; done", 500),
		"functions":          "f() { f; f; f; }; f",
		"nested functions":   strings.Repeat("f() { ", 900) + "f" + strings.Repeat("; }", 900),
		"evals":              strings.Repeat("eval ", 5000) + "ls",
		"shells":             "sh -c '" + fill("sh -c ") + "'",
		"envs":               fill("env ") + "ls",
		"finds":              fill("find -exec ") + "ls",
		"substitutions":      strings.Repeat("$(", 1000) + "ls" + strings.Repeat(")", 1000),
		"many substitutions": strings.Repeat("$(", 30000),
		"parentheses":        fill("("),
		"nots":               fill("! "),
		"backquotes":         fill("`"),
		"arithmetic":         "echo $((" + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000) + "))",
		"pluses":             "echo $((1" + fill("+1") + "))",
		"ifs":                fill("if "),
		"heredocs":           fill("<<a "),
		"quotes":             fill(`"'`),
		"dollars":            fill("$"),
		"stars":              "rm -rf " + strings.Repeat("*", 30000) + "/" + strings.Repeat("a", 30000),
		"words":              fill("a "),
		"commands":           fill("ls;"),
		"pipes":              "ls" + fill("|ls"),
		"pipes of shells":    "sh" + fill("|sh"),
		"downloads":          fill("eval $(x);"),
		"options":            "git " + fill("-a ") + "push",
		"arguments":          "find " + fill("a ") + "-delete",
		"xargs of xargs":     "echo a | " + strings.Repeat("xargs ", 5000),
		"cmds":               fill("cmd /c "),
		"deletions":          fill("rd&"),
		"assignments":        fill("a[1]=b "),
		"nulls":              "ls\x00\x01\x02\x03\x04\x05\x06 \x00",
		"no text":            "\xff\xfe\xfd",
	}
}

// The check of a hostile script ends soon and without a panic. Nesting, length and number of commands have limits.
func TestCheck_HostileScripts(t *testing.T) {
	policies := []*command.Policy{{}, {Denied: []string{"git push *", "a * b * c"}, Allowed: []string{"* *", "x"}}}
	all := hostile()
	for name, text := range all {
		for _, shell := range []string{"sh", "zsh", "cmd", "powershell"} {
			if shell != "sh" && testing.Short() {
				continue
			}
			for _, policy := range policies {
				c := script(text)
				c.Shell = shell
				start := time.Now()
				blocked(t, policy, c)
				if d := time.Since(start); d > 10*time.Second {
					t.Errorf("%s for %s took %v", name, shell, d)
				}
			}
		}
	}
	for _, name := range []string{"many substitutions", "parentheses", "evals", "envs", "finds", "pipes of shells"} {
		if !refusedBy(t, &command.Policy{}, script(all[name])) {
			t.Errorf("%s: not refused", name)
		}
	}
	if !refusedBy(t, &command.Policy{}, script("echo "+strings.Repeat("a", 64<<10))) {
		t.Error("a script of more than 64 KiB is not refused")
	}
	if !refusedBy(t, &command.Policy{}, command.Command{Args: []string{"echo", strings.Repeat("a", 64<<10)}, Dir: project}) {
		t.Error("arguments of more than 64 KiB are not refused")
	}
}

func TestCheck_Allocations(t *testing.T) {
	policy := &command.Policy{Dirs: []string{project}, Denied: []string{"git push *"}}
	for text, most := range map[string]float64{
		"go test ./...": 45,
		"git status --porcelain && git diff --stat | head -20": 90,
		"rm -rf build && mkdir -p build/out":                   90,
	} {
		c := script(text)
		if got := testing.AllocsPerRun(100, func() {
			if err := policy.Check(c); err != nil {
				t.Fatal(err)
			}
		}); got > most {
			t.Errorf("%s: %.0f allocations, want %.0f", text, got, most)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	policy := &command.Policy{Dirs: []string{project}, Denied: []string{"git push *"}}
	for _, text := range []string{"go test ./...", "cd web && npm ci && npm test -- --watch=false 2>&1 | tail -50", `for f in src/*.ts; do mv "$f" "${f%.ts}.tsx"; done`} {
		c := script(text)
		b.Run(text[:10], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := policy.Check(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Check ends with nil or a refusal, and a refused command stays refused behind a harmless one.
func FuzzCheck(f *testing.F) {
	for _, name := range []string{"refused.txt", "everyday.txt", "refused-cmd.txt", "refused-powershell.txt"} {
		for _, text := range lines(f, name) {
			f.Add(text, uint8(0))
			f.Add(text, uint8(len(text)))
		}
	}
	shells := []string{"sh", "bash", "zsh", "cmd", "powershell", "mksh"}
	zero, listed := &command.Policy{Dirs: []string{project}}, &command.Policy{Allowed: []string{"a *"}, Denied: []string{"b * c"}}
	f.Fuzz(func(t *testing.T, text string, shell uint8) {
		c := script(text)
		c.Shell = shells[int(shell)%len(shells)]
		if strings.TrimSpace(text) == "" {
			return
		}
		start := time.Now()
		refused := refusedBy(t, zero, c)
		blocked(t, listed, c)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("it took %v", d)
		}
		if refused && c.Shell == "sh" && len(text) < 1000 {
			if c.Script = "true\n" + text; !refusedBy(t, zero, c) {
				t.Errorf("refused alone, but not behind another command: %q", text)
			}
		}
	})
}
