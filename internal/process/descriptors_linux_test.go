package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/dougu-go/dougu/internal/descriptor"
	"github.com/dougu-go/dougu/internal/process"
)

// inheritedFile is the descriptor of a directory that a test leaves open for a program.
const inheritedFile = 40

// inheriting is a program whose parent has left a directory open. It prints the descriptors that its command has.
func inheriting() {
	if os.Getenv(directVariable) != "" {
		descriptor.CloseOnExec()
	}
	_, own := os.Stat(fmt.Sprint("/proc/self/fd/", inheritedFile))
	c, err := process.Capture(exec.Command("/bin/sh", "-c", fmt.Sprintf("ls -d /proc/self/fd/%d/etc /proc/$PPID/fd/%[1]d/etc 2>/dev/null", inheritedFile)),
		process.CaptureOptions{Output: func(_ process.Stream, p []byte) { _, _ = os.Stdout.Write(p) }})
	if err != nil {
		panic(err)
	}
	<-c.Ended()
	fmt.Println("own", own)
	_ = c.Close()
}

func TestSupervise_InheritedDescriptor(t *testing.T) {
	for _, direct := range []string{"", "1"} {
		dir, err := os.Open("/")
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"=inheriting", directVariable+"="+direct)
		cmd.ExtraFiles = make([]*os.File, inheritedFile-2)
		cmd.ExtraFiles[inheritedFile-3] = dir
		out, err := cmd.Output()
		want := "own <nil>\n"
		if direct != "" { // then the parent of the command is the program itself
			want = fmt.Sprintf("/proc/%d/fd/%d/etc\n%s", cmd.Process.Pid, inheritedFile, want)
		}
		if err != nil || string(out) != want {
			t.Errorf("direct %q: the program says %q, %v; want %q", direct, out, err, want)
		}
	}
}
