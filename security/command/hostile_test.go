package command_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security/command"
)

// hostile are scripts that cost a careless reader its time or its memory.
func hostile() map[string]string {
	double := "x=aaaaaaaaaaaaaaaa;"
	for range 40 {
		double += "x=$x$x;"
	}
	return map[string]string{
		"braces":             "echo " + strings.Repeat("{a,b}", 60),
		"nested braces":      "echo " + strings.Repeat("{a,", 500) + strings.Repeat("}", 500),
		"a long sequence":    "echo {1..999999999999}",
		"sequences":          "echo " + strings.Repeat("{1..50}", 20),
		"a wrong sequence":   "echo {9223372036854775807..-9223372036854775808} {1..5..0} {a..}",
		"doubling":           double + "$x",
		"loops in loops":     strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 12) + "ls" + strings.Repeat("; done", 12),
		"while in while":     strings.Repeat("while x=$x$i; do ", 20) + "ls" + strings.Repeat("; done", 20),
		"choices":            strings.Repeat("if a; then x=$x/1; else x=$x/2; fi; ", 500) + "rm -rf $x",
		"functions":          "f() { f; f; f; }; f",
		"functions in turn":  "a() { b; b; }; b() { c; c; }; c() { d; d; }; d() { e; e; }; e() { g; g; }; g() { a; a; }; a",
		"an alias of itself": "alias a=a\na",
	}
}

// hostileTexts are scripts that are long, deep or full of what makes lists longer.
func hostileTexts() map[string]string {
	const most = 64<<10 - 100
	fill := func(text string) string { return strings.Repeat(text, most/len(text)) }
	return map[string]string{
		"evals":              strings.Repeat("eval ", 5000) + "ls",
		"shells":             strings.Repeat("sh -c '", 1) + fill("sh -c ") + "'",
		"envs":               fill("env ") + "ls",
		"substitutions":      strings.Repeat("$(", 1000) + "ls" + strings.Repeat(")", 1000),
		"many substitutions": strings.Repeat("$(", 30000),
		"parentheses":        fill("("),
		"nots":               fill("! "),
		"backquotes":         fill("`"),
		"arithmetic":         "echo $((" + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000) + "))",
		"minuses":            "echo $((" + fill("- ") + "1))",
		"pluses":             "echo $((1" + fill("+1") + "))",
		"ifs":                fill("if "),
		"heredocs":           fill("<<a "),
		"quotes":             fill(`"'`),
		"dollars":            fill("$"),
		"stars":              "rm -rf " + strings.Repeat("*", 30000) + "/" + strings.Repeat("a", 30000),
		"a pattern":          "x=" + strings.Repeat("a", 1000) + "; ${x##" + strings.Repeat("*a", 100) + "b}",
		"words":              fill("a "),
		"commands":           fill("ls;"),
		"pipes":              "ls" + fill("|ls"),
		"options":            "git " + fill("-a ") + "push",
		"arguments":          "find " + fill("a ") + "-delete",
		"xargs of xargs":     "echo a | " + strings.Repeat("xargs ", 5000),
		"xargs of much":      "echo " + strings.Repeat("a ", 20000) + "| xargs -I{} echo {} {}",
		"printf":             "printf " + strings.Repeat("%s", 10000) + " a",
		"a width":            "printf %999999999s a; printf '%*s' 999999999 a",
		"echo of escapes":    "echo -e " + fill(`\x`),
		"pivot":              "set -- " + strings.Repeat("a ", 10000) + "; for i; do shift; set -- $@ $@; done",
		"arrays":             "a=(" + strings.Repeat("b ", 10000) + "); a+=(${a[@]} ${a[@]}); a+=(${a[@]} ${a[@]}); a+=(${a[@]} ${a[@]})",
		"assignments":        fill("a[1]=b "),
		"appends":            fill("a+=b;"),
		"files":              fill("echo a>>f;") + "sh f",
		"long loops":         "x=" + strings.Repeat("a", 5000) + "; " + strings.Repeat("for i in {1..50}; do ", 4) + "echo $x$x$x >> f" + strings.Repeat("; done", 4),
		"code in loops":      strings.Repeat("for i in {1..50}; do ", 4) + "python -c '" + strings.Repeat(`os.system("rm -f a b c");`, 1500) + "'" + strings.Repeat("; done", 4),
		"scripts in loops":   strings.Repeat("for i in {1..50}; do ", 4) + "sh -c '" + strings.Repeat("ls -la; ", 6000) + "'" + strings.Repeat("; done", 4),
		"nulls":              "ls\x00\x01\x02\x03\x04\x05\x06 \x00",
		"no text":            "\xff\xfe\xfd",
	}
}

// Everything ends soon, without a panic, and what takes too much is refused.
func TestHostileScriptsEnd(t *testing.T) {
	policies := []*command.Policy{{}, {Strict: true, Denied: []string{"git push *", "a * b * c"}, Allowed: []string{"* *", "x"}}}
	all := hostile()
	maps.Copy(all, hostileTexts())
	for name, text := range all {
		for _, shell := range []string{"sh", "zsh", "cmd", "powershell"} {
			for _, policy := range policies {
				c := script(text)
				c.Shell = shell
				start := time.Now()
				_ = policy.Check(c) // whether it is refused is not what is asked
				if d := time.Since(start); d > 10*time.Second {
					t.Errorf("%s for %s took %v", name, shell, d)
				}
			}
		}
	}
	for _, name := range []string{"braces", "substitutions", "parentheses", "loops in loops", "evals"} {
		if _, refused := blocked(t, &command.Policy{}, script(all[name])); !refused {
			t.Errorf("%s: not refused", name)
		}
	}
	if _, refused := blocked(t, &command.Policy{}, script("echo "+strings.Repeat("a", 64<<10))); !refused {
		t.Error("a script that is too long is not refused")
	}
}

// Looking at a command costs little beside running it.
func TestAllocations(t *testing.T) {
	policy := &command.Policy{Strict: true, Dirs: []string{project}, Denied: []string{"git push *"}}
	for text, most := range map[string]float64{
		"go test ./...": 60,
		"git status --porcelain && git diff --stat | head -20": 120,
		"rm -rf build && mkdir -p build/out":                   120,
	} {
		c := script(text)
		if got := testing.AllocsPerRun(100, func() {
			if err := policy.Check(c); err != nil {
				t.Fatal(err)
			}
		}); got > most {
			t.Errorf("%s: %.0f allocations", text, got)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	policy := &command.Policy{Strict: true, Dirs: []string{project}, Denied: []string{"git push *"}}
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

// Whatever comes, Check ends with nil or a refusal, and a command stays refused when harmless ones stand around it.
func FuzzCheck(f *testing.F) {
	for _, name := range []string{"hidden.txt", "everyday.txt", "hidden-cmd.txt", "hidden-powershell.txt"} {
		for _, l := range lines(f, name, "?") {
			f.Add(l.text, uint8(0))
			f.Add(l.text, uint8(len(l.text)))
		}
	}
	shells := []string{"sh", "bash", "zsh", "cmd", "powershell", "mksh"}
	strict, guard := &command.Policy{Strict: true, Dirs: []string{project}}, &command.Policy{Allowed: []string{"a *"}, Denied: []string{"b * c"}}
	f.Fuzz(func(t *testing.T, text string, shell uint8) {
		c := script(text)
		c.Shell = shells[int(shell)%len(shells)]
		if strings.TrimSpace(text) == "" {
			return
		}
		start := time.Now()
		_, refused := blocked(t, strict, c)
		blocked(t, guard, c)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("it took %v", d)
		}
		if refused && c.Shell == "sh" && len(text) < 1000 {
			c.Script = "true\n" + text
			if _, again := blocked(t, strict, c); !again {
				t.Errorf("refused alone, but not after another command: %q", text)
			}
		}
	})
}
