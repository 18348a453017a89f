package command_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/command"
)

func TestPolicy_Denied(t *testing.T) {
	policy := &command.Policy{Denied: []string{"git push *", "npm publish", "docker", "kubectl * delete *", "./deploy.sh", "*-admin"}}
	tests := []struct {
		script string
		denied bool
	}{
		{"git push", true},
		{"git push origin main", true},
		{"git -C sub push", true},
		{"git --no-pager -c a=b push --force", true},
		{"/usr/bin/git push", true},
		{"GIT push", true},
		{"env git push", true},
		{"sudo git push", true},
		{"sh -c 'git push'", true},
		{"ls && (cd x; git push)", true},
		{"echo $(git push)", true},
		{"git $UNKNOWN", true}, // it can be push
		{"xargs git push < list", true},
		{"echo push | xargs git", true},
		{"find . -exec git push ;", true},
		{"npx foo && npm publish --tag next", true},
		{"docker ps", true},
		{"kubectl -n prod delete pod x", true},
		{"kubectl --context a get x delete", true},
		{"./deploy.sh now", true},
		{"x-admin", true},
		{"git push ((", true}, // does not parse
		{"git status", false},
		{"git log push", false},
		{"git commit -m push", false},
		{"echo git push", false},
		{"npm run publish-docs", false},
		{"kubectl get pods", false},
		{"deploy.sh", false},
	}
	for _, test := range tests {
		if message, denied := blocked(t, policy, script(test.script)); denied != test.denied {
			t.Errorf("%s: denied is %v: %s", test.script, denied, message)
		}
	}
	for _, shell := range []string{"cmd", "powershell"} {
		for text, denied := range map[string]bool{"git push": true, "dir & git.exe -C x push": true, `"npm" publish`: true, "git status": false, "echo git push": false} {
			c := command.Command{Script: text, Shell: shell, Dir: `C:\dev`}
			if message, got := blocked(t, policy, c); got != denied {
				t.Errorf("%s: %s: denied is %v: %s", shell, text, got, message)
			}
		}
	}
}

func TestPolicy_Allowed(t *testing.T) {
	policy := &command.Policy{Allowed: []string{"go", "git status *", "git diff", "npm run *", "./gradlew", "find", "sudo apt *", "python3 -m pytest *"}}
	tests := []struct {
		script  string
		allowed bool
	}{
		{"go test ./...", true},
		{"go", true},
		{"/usr/bin/go build", true},
		{"git status", true},
		{"git status -s .", true},
		{"git diff", true},
		{"npm run build -- --x", true},
		{"npm run $SCRIPT", true},
		{"./gradlew build", true},
		{"python3 -m pytest -x tests", true},
		{"cd src && go vet ./... && echo done", true},
		{"export X=1; X=2 go run .; test -f x && printf x", true},
		{"nice -n 5 go build && timeout 5 go test", true},
		{"env X=1 go build", true},
		{"sh -c 'go build'", true},
		{"bash -euo pipefail -c 'go build'", true},
		{"eval go build", true},
		{"for i in 1 2; do go test; done", true},
		{"sudo apt install x", true},
		{"find . -exec go vet {} ;", true},
		{"ls() { go list; }", true},

		{"go test | tee log", false},
		{"git diff --stat", false},
		{"git push", false},
		{"git -c alias.status='!x' status", false},
		{"git $X", false},
		{"/tmp/go build", false},
		{"./go build", false},
		{"gradlew build", false},
		{"PATH=/tmp go build", false},
		{"export PATH=/tmp:$PATH; go build", false},
		{"for PATH in /tmp; do go build; done", false},
		{"declare -n x=PATH; x=/tmp; go build", false},
		{"env PATH=/tmp go build", false},
		{"LD_PRELOAD=./x.so go build", false},
		{". ./env.sh", false},
		{"source venv/bin/activate && go build", false},
		{"f() { go \"$@\"; }; f build", false},
		{"alias go=ls", false},
		{"trap ls EXIT", false},
		{"test -v 'a[$(ls)]'", false},
		{"printf -v PATH /tmp", false},
		{"sh -c 'ls'", false},
		{"sh -c \"$X\"", false},
		{"bash --rcfile -c 'go build'", false},
		{"sh script.sh", false},
		{"bash", false},
		{"fish -c 'go build'", false},
		{"eval \"$X\"", false},
		{"env ls", false},
		{"env -S ls go", false},
		{"env --unknown go build", false},
		{"timeout $X go build", false},
		{"nosuchwrapper go build", false},
		{"find . -exec ls {} ;", false},
		{"echo a | xargs ls", false},
		{"echo --stat | xargs git diff", false},
		{"go build; ls", false},
		{"go build $(ls)", false},
		{"$UNKNOWN", false},
		{"$UNKNOWN build", false},
		{"$(go env GOROOT)/bin/go build", false},
		{"sudo ls", false},
		{"echo x > f && cat f", false},
		{"go vet ((", false}, // does not parse
	}
	for _, test := range tests {
		if message, refused := blocked(t, policy, script(test.script)); refused == test.allowed {
			t.Errorf("%s: refused is %v: %s", test.script, refused, message)
		}
	}
	for name, c := range map[string]command.Command{
		"cmd.exe":     {Script: "go build", Shell: "cmd"},
		"PowerShell":  {Script: "go build", Shell: "powershell.exe"},
		"fish":        {Script: "go build", Shell: "fish"},
		"a variable":  {Args: []string{"go", "build"}, Env: []string{"PATH=/tmp"}},
		"an argument": {Args: []string{"cmd", "/c", "go build"}},
	} {
		if c.Dir = project; !refusedBy(t, policy, c) {
			t.Errorf("%s: not refused", name)
		}
	}
}

// Patterns of allowed commands lift no rule and no denied command.
func TestPolicy_AllowedLiftsNothing(t *testing.T) {
	policy := &command.Policy{Allowed: []string{"rm", "dd *", "sh", "*"}}
	for _, text := range []string{"rm -rf /", "dd if=a of=b", "curl x | sh", "echo x > /dev/sda"} {
		if !refusedBy(t, policy, script(text)) {
			t.Errorf("%s runs", text)
		}
	}
	if message, refused := blocked(t, policy, script("rm -rf build")); refused {
		t.Error(message)
	}
	denied := &command.Policy{Allowed: []string{"git"}, Denied: []string{"git push"}}
	if !refusedBy(t, denied, script("git push")) {
		t.Error("an allowed pattern overrules a denied one")
	}
}
