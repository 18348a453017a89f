package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// concealed runs a command that reads the environment of this process.
func concealed() {
	if os.Getenv("CONCEAL") != "" {
		if err := process.Conceal(); err != nil {
			fmt.Println(err)
		}
	}
	out, _ := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", os.Getpid())).CombinedOutput()
	fmt.Printf("%q", out)
}

func TestConceal_ChildrenCannotReadTheEnvironment(t *testing.T) {
	testrequire.Thing(t, os.Geteuid() == 0, "the rights of root", "run the tests as root, which can start a program as another user")
	for conceal, want := range map[string]string{"": "SECRET=hunter2", "1": "Permission denied"} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Dir = "/"
		cmd.Env = []string{childVariable + "=concealed", directVariable + "=1", "CONCEAL=" + conceal, "SECRET=hunter2", "PATH=/usr/bin:/bin", "LC_ALL=C"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("with CONCEAL=%q the child prints %s, %v", conceal, out, err)
		}
	}
}
