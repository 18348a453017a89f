package confine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/confine"
	"github.com/dougu-go/dougu/internal/need"
)

// version skips the test where Landlock is older.
func version(t *testing.T, least int) {
	t.Helper()
	abi, ok := confine.Supported()
	need.Thing(t, ok && abi >= least, fmt.Sprintf("Landlock of version %d", least), "use a newer Linux kernel with Landlock enabled")
}

// confined runs a command on a thread that is thrown away.
func confined(t *testing.T, rules confine.Rules, name string, args ...string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = confine.Thread(rules); err != nil {
			return
		}
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		var out []byte
		out, err = cmd.CombinedOutput()
		output = string(out)
	}()
	<-done
	return output, err
}

// What children can and cannot do. $W is a directory that can be written to, $R one that can be read and $O another.
func TestChildren(t *testing.T) {
	version(t, 4)
	tests := []struct {
		script string
		ok     bool
	}{
		{"true", true},
		{"cat /usr/share/zoneinfo/UTC >/dev/null || ls /usr >/dev/null", true},
		{"cat /etc/passwd", false},
		{"cat /proc/$PPID/environ", false}, // of the process that started it
		{"ls /etc", false},
		{"ls /", false},
		{"cat $R/file", true},
		{"ls $R", true},
		{"cat <$R/file", true},
		{"echo x >>$R/file", false},
		{"echo x >$R/new", false},
		{"rm $R/file", false},
		{"mv $R/file $W/file", false},
		{"ln $R/file $W/hard", false},
		{"mkdir $R/dir", false},
		{"$R/program", true},
		{"cat $O/file", false},
		{"echo x >$O/file", false},
		{"$O/program", false},
		{"ln -s $O/file $W/link && cat $W/link", false},
		{"ln -s $O/new $W/link2 && echo x >$W/link2", false},
		{"cd $W && cat ../other/file", false},
		{"echo hi >$W/a && cat $W/a && mkdir -p $W/d/e && mv $W/a $W/d/e/b && rm -r $W/d", true},
		{"cp $R/program $W/copy && chmod +x $W/copy && $W/copy", true},
		{"mkfifo $W/fifo && ln -s x $W/dangling && rm $W/fifo $W/dangling", true},
		{"echo x >/dev/null && head -c 8 /dev/urandom >/dev/null", true},
		{"sh -c 'sh -c \"cat /etc/passwd\"'", false}, // grandchildren as well
		{"(setsid cat /etc/passwd)", false},
		{"ls /proc/self/fd/ && cat /proc/meminfo && cat /proc/self/environ", true},
		{"mknod $W/disk b 7 0", false},
	}
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			top := t.TempDir()
			dir := func(name string) string { return filepath.Join(top, name) }
			for _, name := range []string{"write", "read", "other"} {
				if err := errors.Join(os.Mkdir(dir(name), 0o755), os.WriteFile(dir(name)+"/file", []byte("secret\n"), 0o644),
					os.WriteFile(dir(name)+"/program", []byte("#!/bin/sh\nexit 0\n"), 0o755)); err != nil {
					t.Fatal(err)
				}
			}
			rules := confine.Rules{Read: append(confine.Programs(), dir("read")), Write: []string{dir("write")}}
			output, err := confined(t, rules, "sh", "-c", `W=$1 R=$2 O=$3; `+test.script, "sh", dir("write"), dir("read"), dir("other"))
			var exit *exec.ExitError
			switch {
			case test.ok && err != nil:
				t.Errorf("%v\n%s", err, output)
			case !test.ok && !errors.As(err, &exit):
				t.Errorf("it worked (%v): %s", err, output)
			case !test.ok && !strings.Contains(output, "ermission denied") && !strings.Contains(output, "cross-device"):
				t.Errorf("it failed in another way: %s", output)
			}
			if content, err := os.ReadFile(dir("other") + "/file"); string(content) != "secret\n" {
				t.Errorf("the other directory was changed: %q, %v", content, err)
			}
		})
	}
}

// A rule can be for one file.
func TestFile(t *testing.T) {
	version(t, 4)
	dir := t.TempDir()
	file, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	for _, name := range []string{file, other} {
		if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rules := confine.Rules{Read: confine.Programs(), Write: []string{file}}
	if output, err := confined(t, rules, "sh", "-c", "echo y >"+file+" && cat "+file); err != nil || output != "y\n" {
		t.Errorf("%q, %v", output, err)
	}
	if output, err := confined(t, rules, "cat", other); err == nil {
		t.Errorf("it worked: %q", output)
	}
}

func TestNetwork(t *testing.T) {
	version(t, 4)
	need.Thing(t, len(found("bash")) > 0, "bash", "install bash")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	script := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", listener.Addr().(*net.TCPAddr).Port)
	for _, network := range []bool{true, false} {
		rules := confine.Rules{Read: confine.Programs(), Network: network}
		if output, err := confined(t, rules, "bash", "-c", script); (err == nil) != network {
			t.Errorf("network %v: %v\n%s", network, err, output)
		}
	}
}

func TestSignals(t *testing.T) {
	version(t, 6)
	outside := exec.Command("sleep", "600")
	if err := outside.Start(); err != nil {
		t.Fatal(err)
	}
	defer outside.Wait()
	defer outside.Process.Kill()
	for _, allowed := range []bool{true, false} {
		rules := confine.Rules{Read: confine.Programs(), Network: true, Signals: allowed}
		if output, err := confined(t, rules, "sh", "-c", "kill -0 "+strconv.Itoa(outside.Process.Pid)); (err == nil) != allowed {
			t.Errorf("signals %v: %v\n%s", allowed, err, output)
		}
	}
	if output, err := confined(t, confine.Rules{Read: confine.Programs(), Network: true}, "sh", "-c", "sleep 600 & kill $!"); err != nil {
		t.Errorf("its own child: %v\n%s", err, output)
	}
}

// We can stop a child that is confined, from a thread that is not.
func TestChildCanBeKilled(t *testing.T) {
	version(t, 4)
	started, waited := make(chan *os.Process), make(chan error, 1)
	go func() {
		defer close(started)
		runtime.LockOSThread()
		if err := confine.Thread(confine.Rules{Read: confine.Programs()}); err != nil {
			waited <- err
			return
		}
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			waited <- err
			return
		}
		started <- cmd.Process
		waited <- cmd.Wait()
	}()
	if process, ok := <-started; ok {
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err := <-waited; !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("%v", err)
	}
}

// Other goroutines keep all rights, also when many threads were thrown away.
func TestOthersAreFree(t *testing.T) {
	version(t, 4)
	for range 50 {
		if output, err := confined(t, confine.Rules{Read: confine.Programs()}, "cat", "/etc/passwd"); err == nil {
			t.Fatalf("it worked: %q", output)
		}
		results := make(chan error)
		for range 8 {
			go func() {
				_, err := os.ReadFile("/etc/passwd")
				results <- err
			}()
		}
		for range 8 {
			if err := <-results; err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWrongRules(t *testing.T) {
	version(t, 4)
	tests := []struct {
		rules confine.Rules
		want  string
	}{
		{confine.Rules{Read: []string{"relative"}}, "not absolute"},
		{confine.Rules{Write: []string{""}}, "not absolute"},
		{confine.Rules{Write: []string{"/etc\x00/x"}}, "not absolute"},
		{confine.Rules{Write: []string{"/there/is/no/such/directory"}}, "no such file"},
	}
	for _, test := range tests {
		if _, err := confined(t, test.rules, "true"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.rules, err)
		}
	}
}

// No descriptor stays open.
func TestDescriptors(t *testing.T) {
	version(t, 4)
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	rules := confine.Rules{Read: confine.Programs()}
	wrong := confine.Rules{Read: append(confine.Programs(), "/there/is/no/such/directory")}
	if _, err := confined(t, rules, "true"); err != nil {
		t.Fatal(err)
	}
	before := count()
	for range 20 {
		if _, err := confined(t, rules, "true"); err != nil {
			t.Fatal(err)
		}
		if _, err := confined(t, wrong, "true"); err == nil {
			t.Fatal("no error")
		}
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func TestPrograms(t *testing.T) {
	if programs := confine.Programs(); !slices.Contains(programs, "/usr") || slices.Contains(programs, "/etc/passwd") {
		t.Errorf("%q", programs)
	}
}

func found(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	return path
}

func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	if abi, ok := confine.Supported(); !ok || abi < 4 {
		fmt.Println("written") // what the example shows elsewhere
		fmt.Println("refused")
		return
	}
	done := make(chan struct{})
	run := func(script string) string {
		cmd := exec.Command("sh", "-c", script)
		cmd.Stderr = io.Discard
		if cmd.Run() != nil {
			return "refused"
		}
		return "written"
	}
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := confine.Thread(confine.Rules{Read: confine.Programs(), Write: []string{dir}}); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(run("echo hello >" + dir + "/file"))
		fmt.Println(run("echo hello >/tmp/dougu-example-outside"))
	}()
	<-done
	// Output:
	// written
	// refused
}
