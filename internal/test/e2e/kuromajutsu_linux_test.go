package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// processTests check the processes that agents leave behind.
var processTests = map[string]func(h *house){
	"Killed": testKilled, "Terminated": testTerminated, "InputClosed": testInputClosed, "StraysOfOne": testStraysOfOne, "Hanging": testHanging, "NothingHandedOn": testNothingHandedOn,
}

// processes returns the running processes of this house.
func (h *house) processes() (found []string) {
	h.t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, dir := range dirs {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(environ, []byte("HOME="+h.home+"\x00")) {
			continue // ended, or of another user
		}
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(command) > 0 { // not a zombie
			found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

// nothingLeft waits until no process of this house runs.
func (h *house) nothingLeft() {
	h.t.Helper()
	var left []string
	eventually(h.t, "the end of all processes", func() bool {
		left = h.processes()
		return len(left) == 0
	})
}

// badly starts agents that do not end, or whose children do not end.
func (m *master) badly() (all []string) {
	m.t.Helper()
	group := m.group()
	for range 2 {
		id := m.order(group, "stubborn")
		m.says(id, "You will not get rid of me.")
		all = append(all, id)
	}
	id := m.order(group, "silent")
	m.says(id, "I think about it.")
	if n := len(m.house.processes()); n < 6 {
		m.t.Errorf("there are %d processes: %q", n, m.house.processes())
	}
	return append(all, id)
}

// testKilled kills the server. The next server ends the remaining processes and records the state of the agents.
func testKilled(h *house) {
	m := h.begin()
	ids := m.badly()
	if err := m.cmd.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	m.waits()
	m = h.begin()
	for _, id := range ids {
		if s := m.ended(id, record.Failed); s.ErrorMessage != "the server ended while it was running" {
			h.t.Errorf("after the restart it is %+v", s)
		}
	}
	eventually(h.t, "the end of what was left", func() bool { return len(h.processes()) == 1 }) // only the server remains
	m.ended(m.order(m.group(), "normal"), record.Completed)
	m.end()
	h.nothingLeft()
}

// testTerminated ends the server with a signal, as clients do after a timeout.
func testTerminated(h *house) {
	m := h.begin()
	ids := m.badly()
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		h.t.Fatal(err)
	}
	if state := m.waits(); state.ExitCode() != 0 {
		h.t.Errorf("the server ended with %v\n%s", state, m.said())
	}
	h.nothingLeft()
	m = h.begin()
	for _, id := range ids {
		if s := m.ended(id, record.Cancelled); !strings.Contains(s.ErrorMessage, "the server was stopped") {
			h.t.Errorf("after the restart it is %+v", s)
		}
	}
	m.end()
}

// testInputClosed ends the server by closing its input.
func testInputClosed(h *house) {
	m := h.begin()
	m.badly()
	m.end()
	h.nothingLeft()
}

// testStraysOfOne ends the remaining processes of an agent together with the agent.
func testStraysOfOne(h *house) {
	m := h.begin()
	m.ended(m.order(m.group(), "strays"), record.Completed)
	eventually(h.t, "the end of what it has left", func() bool { return len(h.processes()) == 1 })
	m.end()
	h.nothingLeft()
}

// testHanging uses a program that hangs when its models are listed.
func testHanging(h *house) {
	h.cursor = filepath.Join(h.home, "hangs")
	if err := os.WriteFile(h.cursor, []byte("#!/bin/sh\nsleep 86400\n"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	m := h.begin("-agent-patience_ms", "300")
	m.refuses("run_agent", agents.RunArgs{GroupID: m.group(), Role: "impl-code", Prompt: "x"}, "ROLE_NOT_READY", "list_roles")
	if all := do[agents.RolesResult](m, "list_roles", nil).Roles; len(all) != 4 || all[0].Available || all[0].Done() {
		h.t.Errorf("the roles are %+v", all)
	}
	m.end()
	h.nothingLeft()
}

// testNothingHandedOn runs an agent that starts its servers with a clean environment, as some clients do. The servers still detect
// the agent.
func testNothingHandedOn(h *house) {
	offered := filepath.Join(h.home, "offered")
	started := "env -i '" + h.program + "' tools -root '" + h.project + "' >'" + offered + "' 2>&1"
	script := "#!/bin/sh\n[ \"$1\" = models ] || " + started + "\nexec '" + h.cursor + "' \"$@\"\n"
	h.cursor = filepath.Join(h.home, "starts-servers")
	if err := os.WriteFile(h.cursor, []byte(script), 0o755); err != nil {
		h.t.Fatal(err)
	}
	m := h.begin()
	m.ended(m.order(m.group(), "normal"), record.Completed)
	m.end()
	got, err := os.ReadFile(offered)
	if err != nil || !strings.Contains(string(got), "report_result") || strings.Contains(string(got), "run_agent ") {
		h.t.Errorf("the server of the agent offers (%v)\n%s", err, got)
	}
}
