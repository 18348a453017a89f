package process_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// TestCaptured_StopAfterEnd stops a process that has ended, which no signal reaches any more.
func TestCaptured_StopAfterEnd(t *testing.T) {
	c, err := process.Capture(exec.Command(os.Args[0], "-test.run=^$"), process.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-c.Ended()
	begin := time.Now()
	if err := c.Stop(process.Terminate, time.Minute); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
