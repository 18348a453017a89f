package process_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/process"
)

// stranger starts a process that this package knows nothing of.
func stranger(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestOrphan_End(t *testing.T) {
	const mark = "ORPHANSOFATESTWHICHISLONGX"
	for name, test := range map[string]struct {
		birth, mark string
		dies        bool
	}{
		"by its birth":               {"its own", "", true},
		"by its mark":                {"another", mark, true},
		"a number that was recycled": {"another", "", false},
		"without a birth":            {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := stranger(t, process.Variable+"=outer:"+mark)
			o := process.Orphan{PID: cmd.Process.Pid, Birth: test.birth, Mark: test.mark}
			if o.Birth == "its own" {
				var err error
				if o.Birth, err = process.Birth(o.PID); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }() // a zombie is dead, and is not waited for by End
			if err := o.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !test.dies {
				if !alive(o.PID) {
					t.Error("a stranger was ended")
				}
				_ = cmd.Process.Kill()
			}
			<-ended
		})
	}
}

func TestBirth_Unique(t *testing.T) {
	first, second := stranger(t), stranger(t)
	mine, err := process.Birth(os.Getpid())
	if err != nil || mine == "" {
		t.Fatalf("the birth of this process is %q, %v", mine, err)
	}
	if again, err := process.Birth(os.Getpid()); again != mine || err != nil {
		t.Errorf("asked again it is %q, %v", again, err)
	}
	born, err := process.Birth(first.Process.Pid)
	if err != nil || born == mine || !strings.Contains(born, "/") {
		t.Errorf("the birth of another is %q, %v", born, err)
	}
	if err := second.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = second.Wait()
	if born, err := process.Birth(second.Process.Pid); !errors.Is(err, process.ErrNoProcess) {
		t.Errorf("the birth of one that has ended is %q, %v", born, err)
	}
}
