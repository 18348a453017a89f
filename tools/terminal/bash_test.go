package terminal_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// TestExecute_Bash runs constructs of bash that sh accepts with another meaning.
func TestExecute_Bash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash")
	}
	p := newProject(t, setup{files: map[string]string{"sub/x": ""}})
	for line, want := range map[string]string{
		`echo {1..3}`: "1 2 3\n", `printf %s $'a\tb'`: "a\tb", `echo hidden &>/dev/null`: "", `pushd sub >/dev/null; ls; popd >/dev/null`: "x\n", `[[ ab == a* ]] && echo yes`: "yes\n",
		`cat <<< here`: "here\n",
	} {
		if r := p.run(t, terminal.CommandArgs{Command: line}); r.ExitCode != 0 || r.Stdout != want || r.Stderr != "" {
			t.Errorf("%s: %+v, want %q", line, r, want)
		}
	}
	if _, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "rm -rf {/,x}"}); err == nil {
		t.Error("braces are a way around the policy")
	}
}

// TestOffers_AdviceNamesOfferedTools checks the advice of results in profiles that lack tools of the set.
func TestOffers_AdviceNamesOfferedTools(t *testing.T) {
	others := []string{"read_process_output", "send_process_input", "list_processes", "kill_process"}
	for _, offered := range [][]string{nil, {"kill_process"}, {"read_process_output"}, {"read_process_output", "kill_process"}} {
		p := newProject(t, setup{options: terminal.Options{MaxProcesses: 1, Offers: func(tool string) bool { return slices.Contains(offered, tool) }}})
		check := func(text string) {
			t.Helper()
			for _, tool := range others {
				if strings.Contains(text, tool) && !slices.Contains(offered, tool) {
					t.Errorf("with %q: %s", offered, text)
				}
			}
		}
		checkError := func(err error, code string) {
			t.Helper()
			toolsettest.WantError(t, err, code)
			var advice interface{ NextStep() string }
			if errors.As(err, &advice) {
				check(advice.NextStep())
			}
		}
		r := p.run(t, terminal.CommandArgs{Command: "sleep 1000", WaitMs: new(0)})
		check(r.TextContent())
		_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "true"})
		checkError(err, "TOO_MANY_PROCESSES")
		_, err = p.ReadOutput(t.Context(), terminal.ReadOutputArgs{ProcessID: "none"})
		checkError(err, "UNKNOWN_PROCESS")
		_, err = p.Build(t.Context(), terminal.BuildArgs{ProcessID: "none"})
		checkError(err, "UNKNOWN_PROCESS")
		_, err = p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: r.ProcessID, Input: "x"})
		checkError(err, "INPUT_CLOSED")
		if _, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: r.ProcessID, Force: true}); err != nil {
			t.Error(err)
		}
		long := p.run(t, terminal.CommandArgs{Command: "seq 100000", MaxOutput: 1000})
		check(long.TextContent())
	}
}
