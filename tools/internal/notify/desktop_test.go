package notify_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/notify"
)

var nasty = notify.Message{Title: `-e "$(reboot)" ; '`, Text: "--help <b>\\n & `x` %TEMP% $env:X\x00\x1b[0m", Level: notify.Failure}

func TestDisplayCommand_Systems(t *testing.T) {
	program, args, env := notify.Display("linux", nasty)
	if want := []string{"--app-name=kuromajutsu", "--urgency=critical", "--", `❌ -e "$(reboot)" ; '`, "--help &lt;b&gt;\\\\n &amp; `x` %TEMP% $env:X[0m"}; program != "notify-send" || !slices.Equal(args, want) || env != nil {
		t.Errorf("%s %q %q", program, args, env)
	}
	program, args, _ = notify.Display("darwin", nasty)
	if at := slices.Index(args, "--"); program != "osascript" || at < 0 || !slices.Equal(args[at+1:], []string{`❌ -e "$(reboot)" ; '`, "--help <b>\\n & `x` %TEMP% $env:X[0m"}) || strings.Contains(strings.Join(args[:at], ""), "reboot") {
		t.Errorf("%s %q", program, args)
	}
	program, args, env = notify.Display("windows", nasty)
	script, err := base64.StdEncoding.DecodeString(args[len(args)-1])
	if text := strings.ReplaceAll(string(script), "\x00", ""); err != nil || program != "powershell.exe" || strings.Contains(text, "reboot") || !strings.Contains(text, "CreateTextNode($env:DOUGU_NOTIFY_TEXT)") {
		t.Errorf("%s %q: %s", program, args, text)
	}
	if !slices.Equal(env, []string{`DOUGU_NOTIFY_TITLE=❌ -e "$(reboot)" ; '`, "DOUGU_NOTIFY_TEXT=--help <b>\\n & `x` %TEMP% $env:X[0m"}) {
		t.Errorf("%q", env)
	}
	_, args, _ = notify.Display("linux", notify.Message{Title: strings.Repeat("長い", 500), Text: strings.Repeat("<", 5000), Level: notify.Success})
	if title, text := args[3], args[4]; len([]rune(title)) > 101 || len(text) > 403 || !strings.HasSuffix(text, "&lt;…") {
		t.Errorf("%q %q", title, text)
	}
	_, args, _ = notify.Display("freebsd", notify.Message{Title: "t", Fields: []notify.Field{{Name: "Role", Value: "r"}}})
	if args[4] != "Role: r" {
		t.Errorf("%q", args)
	}
}

// screen is the main function of a fake desktop program, which records its arguments.
func screen() int {
	data, err := json.Marshal(os.Args[1:])
	if err == nil {
		err = os.WriteFile(os.Getenv("DOUGU_TEST_SCREEN"), data, 0o600)
	}
	if err != nil || slices.Contains(os.Args, "ℹ️ fail") {
		fmt.Fprintln(os.Stderr, "there is no screen", err)
		return 1
	}
	return 0
}

func TestDesktop_Program(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("notify-send is the program of other systems")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	told := []notify.Target{notify.Desktop()}
	if log := sendAll(t, notify.Options{Targets: told}, nasty); !strings.Contains(log, "notify-send") || !strings.Contains(log, "not installed") {
		t.Errorf("without the program the log says %s", log)
	}
	must(t, os.Symlink(os.Args[0], filepath.Join(dir, "notify-send")))
	shown := filepath.Join(dir, "shown")
	t.Setenv("DOUGU_TEST_SCREEN", shown)
	if log := sendAll(t, notify.Options{Targets: told}, nasty); log != "" {
		t.Errorf("the log says %s", log)
	}
	data, err := os.ReadFile(shown)
	must(t, err)
	var args []string
	must(t, json.Unmarshal(data, &args))
	if len(args) != 5 || args[3] != `❌ -e "$(reboot)" ; '` {
		t.Errorf("shown is %q", args)
	}
	if log := sendAll(t, notify.Options{Targets: told}, notify.Message{Title: "fail"}); !strings.Contains(log, "there is no screen") {
		t.Errorf("when it fails the log says %s", log)
	}
	if _, err := exec.LookPath("notify-send"); err != nil {
		t.Error(err)
	}
}
