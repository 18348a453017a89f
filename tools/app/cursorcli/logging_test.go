package cursorcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// Neither contents nor secrets are logged, whatever the level and the output.
func TestLogging_NoSecrets(t *testing.T) {
	s := serve(t, nil, sources{flags: []string{"-log-level", "debug", "-logging-outputs", "console,file,cursor-output-panel"}})
	secret := "ghp_" + strings.Repeat("A1b2", 9)
	s.call(t.Context(), "write_file", map[string]any{"path": "a.txt", "content": "token: " + secret + "\n" + strings.Repeat("content ", 1000)})
	s.call(t.Context(), "read_file", map[string]any{"path": "a.txt"})
	s.call(t.Context(), "read_file", map[string]any{"path": secret})
	s.call(t.Context(), secret, nil)
	s.awaitTold("outcome")
	file, err := os.ReadFile(filepath.Join(s.dir, settingsDir, "logs", "cursorcli.log"))
	apptest.Must(t, err)
	for where, text := range map[string]string{"standard error": s.stderr.String(), "the file": string(file), "the client": s.told.String()} {
		if strings.Contains(text, secret) || strings.Count(text, "content ") > 100 {
			t.Errorf("%s has the secret, or all content:\n%s", where, text)
		}
		if !strings.Contains(text, "bytes, sha256") || !strings.Contains(text, "write_file") {
			t.Errorf("%s lacks the arguments:\n%s", where, text)
		}
	}
}

func TestLogging_NoArgumentsAtInfo(t *testing.T) {
	s := serve(t, map[string]string{"notes.txt": "words of a file"}, sources{flags: []string{"-logging-outputs", toConsole}})
	s.call(t.Context(), "read_file", map[string]any{"path": "notes.txt"})
	s.awaitLog("outcome=ok")
	if log := s.stderr.String(); strings.Contains(log, "notes.txt") || strings.Contains(log, "words") || !strings.Contains(log, "tool=read_file durationMs=") || !strings.Contains(log, "requestId=") {
		t.Errorf("logged %s", log)
	}
}

// With both console and panel, standard error gets each record once, and the client gets
// the records of its own calls.
func TestLogging_NoDuplicates(t *testing.T) {
	for _, outputs := range []string{"console,cursor-output-panel", "cursor-output-panel"} {
		s := serve(t, nil, sources{flags: []string{"-logging-outputs", outputs}})
		s.call(t.Context(), "list_directory", map[string]any{"path": "."})
		s.awaitTold("list_directory")
		if n := strings.Count(s.told.String(), `"tool call"`); n != 1 {
			t.Errorf("%s: the client was told %d times", outputs, n)
		}
		want := map[bool]int{true: 1, false: 0}[strings.HasPrefix(outputs, toConsole)]
		if n := strings.Count(s.stderr.String(), "list_directory"); n != want {
			t.Errorf("%s: standard error has it %d times, want %d", outputs, n, want)
		}
		s.service.logging.log.Info("of no call")
		if n := strings.Count(s.stderr.String(), "of no call"); n != 1 {
			t.Errorf("%s: what belongs to no call is there %d times", outputs, n)
		}
	}
}

func TestLogging_ErrorFile(t *testing.T) {
	s := serve(t, nil, sources{flags: []string{"-logging-outputs", toFile}})
	s.service.logging.log.Error("something broke", "password", "hunter2")
	text, err := os.ReadFile(filepath.Join(s.dir, settingsDir, "logs", "cursorcli.error.log"))
	var record map[string]any
	if err != nil || json.Unmarshal(text, &record) != nil || record["msg"] != "something broke" || record["password"] != "[redacted]" || record["time"] == "" {
		t.Errorf("the file of errors holds %q, %v", text, err)
	}
}

// A log file that cannot be opened is no reason not to serve.
func TestLogging_UnopenableFile(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{settingsDir + "/logs": "a file stands in the way"})
	v, stderr, err := open(t, dir, sources{flags: []string{"-logging-outputs", toFile}})
	apptest.Must(t, err)
	v.logging.log.Info("logged all the same")
	if log := stderr.String(); !strings.Contains(log, "the log file cannot be opened") || !strings.Contains(log, "logged all the same") {
		t.Errorf("logged %s", log)
	}
	apptest.Must(t, os.Remove(filepath.Join(dir, settingsDir, "logs")))
	v.following.Reload([]byte(nested("logging.maxLogSize", "2000")), nil)
	if _, err := os.Stat(filepath.Join(dir, settingsDir, "logs", "cursorcli.log")); err != nil {
		t.Errorf("the log file is still not there: %v", err)
	}
	apptest.Must(t, v.close(t.Context()))
}

// The log of changes is the person's, not the tools'.
func TestAudit_ToolNames(t *testing.T) {
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	s := serve(t, nil, sources{flags: []string{"-audit", audit}})
	s.call(t.Context(), "write_file", map[string]any{"path": "a.txt", "content": "x"})
	text, err := os.ReadFile(audit)
	if err != nil || strings.Count(string(text), "a.txt") != 2 || !strings.Contains(string(text), `"result":"success"`) {
		t.Errorf("the audit log holds %s, %v", text, err)
	}
}
