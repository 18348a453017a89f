package process

import (
	"context"
	"errors"
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

// leadSession does nothing: there are no sessions.
func leadSession(*exec.Cmd) {}

// tree is the job object, 0 without one.
type tree windows.Handle

// started puts the child into a job that dies with its handle.
func (p *running) started() error {
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
		process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.SYNCHRONIZE, false, uint32(p.cmd.Process.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, process)
			if errors.Is(err, windows.ERROR_ACCESS_DENIED) && hasExited(process) {
				err = nil // A process that ends at once needs no job.
			}
			_ = windows.CloseHandle(process)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return fmt.Errorf("putting the process into a job: %w", err)
	}
	p.tree = tree(job)
	return nil
}

// hasExited reports whether a process has ended.
func hasExited(process windows.Handle) bool {
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

// terminate asks the group to end as a console's Ctrl+Break does. The error
// errUnreachable says that this process has no console, or the group has ended.
func (p *running) terminate() error {
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.cmd.Process.Pid)); err != nil {
		return fmt.Errorf("%w: %w", errUnreachable, err)
	}
	return nil
}

// kill ends every process of the job.
func (p *running) kill() error {
	if p.tree == 0 {
		return p.cmd.Process.Kill()
	}
	return windows.TerminateJobObject(windows.Handle(p.tree), 1)
}

// killGroup is kill: all are in the job.
func (p *running) killGroup() error { return p.kill() }

func (p *running) release() {
	if p.tree != 0 {
		_ = windows.CloseHandle(windows.Handle(p.tree))
		p.tree = 0
	}
}

// left reports whether a process of the job is alive.
func (p *running) left() bool {
	var info struct {
		times                             [4]int64
		faults, total, active, terminated uint32
	}
	const basicAccounting = 1
	err := windows.QueryInformationJobObject(windows.Handle(p.tree), basicAccounting, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

// KillMarked ends every process that has mark in its environment, as
// CaptureOptions.Mark puts it there. Only Linux knows; here a job ends with its
// handle.
func KillMarked(context.Context, string) error { return nil }
