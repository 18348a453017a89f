package command_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/command"
)

const project = "/home/dev/project"

// line is a command of a list in testdata.
type line struct {
	text   string
	marked bool // there is a "-" or "?" in front
}

// lines reads a list.
func lines(t testing.TB, name, mark string) []line {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []line
	for text := range strings.Lines(strings.ReplaceAll(string(content), "\r\n", "\n")) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || strings.HasPrefix(text, "# ") && !strings.Contains(text, "⏎") || strings.HasPrefix(text, "## ") {
			continue
		}
		rest, marked := strings.CutPrefix(text, mark)
		all = append(all, line{strings.ReplaceAll(rest, "⏎", "\n"), marked})
	}
	return all
}

func script(text string) command.Command {
	return command.Command{Script: text, Dir: project, Env: []string{"HOME=/home/dev"}}
}

func policies() (guard, strict, confined *command.Policy) {
	return &command.Policy{}, &command.Policy{Strict: true}, &command.Policy{Strict: true, Dirs: []string{project}}
}

// blocked reports whether a command is refused, and that a refusal is one.
func blocked(t testing.TB, p *command.Policy, c command.Command) (string, bool) {
	t.Helper()
	err := p.Check(c)
	if err == nil {
		return "", false
	}
	var refusal *security.Error
	if !errors.As(err, &refusal) || refusal.Code != security.CommandBlocked || refusal.NextStep() == "" || !strings.Contains(refusal.Message, "rule: ") || strings.Contains(refusal.Message, "fault in the check") {
		t.Errorf("%q: not a refusal: %v", c.Script, err)
	}
	return refusal.Message, true
}

// Destruction is seen through what it hides in.
func TestHiddenCommandsAreRefused(t *testing.T) {
	guard, strict, confined := policies()
	all := lines(t, "hidden.txt", "?")
	if len(all) < 900 {
		t.Fatalf("there are only %d", len(all))
	}
	for _, l := range all {
		for name, policy := range map[string]*command.Policy{"strict": strict, "confined": confined} {
			if _, refused := blocked(t, policy, script(l.text)); !refused {
				t.Errorf("%s: not refused: %s", name, l.text)
			}
		}
		if _, refused := blocked(t, guard, script(l.text)); refused == l.marked {
			t.Errorf("zero policy: refused is %v: %s", refused, l.text)
		}
	}
}

// What is said of sh holds for the shells of Windows, as far as they are understood.
func TestWindowsShells(t *testing.T) {
	env := []string{`USERPROFILE=C:\Users\dev`}
	dir := `C:\dev\project`
	policies := map[string]*command.Policy{"zero": {}, "strict": {Strict: true}, "confined": {Strict: true, Dirs: []string{dir}}}
	for _, shell := range []string{"cmd", "powershell"} {
		for _, l := range lines(t, "hidden-"+shell+".txt", "?") {
			for name, policy := range policies {
				c := command.Command{Script: l.text, Shell: shell, Dir: dir, Env: env}
				if _, refused := blocked(t, policy, c); refused == (l.marked && name == "zero") {
					t.Errorf("%s, %s: refused is %v: %s", shell, name, refused, l.text)
				}
			}
		}
		for _, l := range lines(t, "everyday-"+shell+".txt", "- ") {
			for name, policy := range policies {
				c := command.Command{Script: l.text, Shell: shell, Dir: dir, Env: env}
				if message, refused := blocked(t, policy, c); refused {
					t.Errorf("%s, %s: %s\n\t%s", shell, name, l.text, message)
				}
			}
		}
	}
}

// Nobody is kept from working.
func TestEverydayCommandsRun(t *testing.T) {
	guard, strict, confined := policies()
	all := lines(t, "everyday.txt", "- ")
	if len(all) < 900 {
		t.Fatalf("there are only %d", len(all))
	}
	for _, l := range all {
		for name, policy := range map[string]*command.Policy{"zero": guard, "strict": strict, "confined": confined} {
			if name == "confined" && l.marked {
				continue
			}
			if message, refused := blocked(t, policy, script(l.text)); refused {
				t.Errorf("%s: %s\n\t%s", name, l.text, message)
			}
		}
	}
}

func Example() {
	policy := &command.Policy{Strict: true, Denied: []string{"git push *"}, Dirs: []string{"/srv/project"}}
	for _, script := range []string{
		"go test ./... && git status",
		"x=rm; sudo $x -rf /",
		"git -C sub push origin main",
		"cd /etc && ls",
	} {
		err := policy.Check(command.Command{Script: script, Dir: "/srv/project"})
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// "sudo rm -rf /" is refused: it deletes with the rights of the administrator (rule: deletion)
	// "git -C sub push origin main" is refused: the commands "git push *" are denied (rule: denied commands)
	// "cd /etc" is refused: it leaves the project (rule: strict: outside the project)
}
