package process

import (
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// setGroup makes the child the root of a process group, which a job completes
// once it runs.
func setGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
}

// tree is the job object, 0 without one.
type tree windows.Handle

// started puts the child into a job that dies with its handle.
func (c *Child) started() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("creating a job: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var process windows.Handle
		process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(c.cmd.Process.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, process)
			_ = windows.CloseHandle(process)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return fmt.Errorf("putting the process into a job: %w", err)
	}
	c.tree = tree(job)
	return nil
}

// terminate asks the group to end as a console's Ctrl+Break does.
func (c *Child) terminate() error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.cmd.Process.Pid))
}

// kill ends every process of the job.
func (c *Child) kill() error {
	if c.tree == 0 {
		return c.cmd.Process.Kill()
	}
	return windows.TerminateJobObject(windows.Handle(c.tree), 1)
}

func (c *Child) release() {
	if c.tree != 0 {
		_ = windows.CloseHandle(windows.Handle(c.tree))
		c.tree = 0
	}
}
