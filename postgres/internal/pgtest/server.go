//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// patience is how long PostgreSQL may take for anything on a machine that is busy.
const patience = 60 * time.Second

// Server is PostgreSQL with a directory of its own, that listens on a socket in it.
// The zero value is one that starts with its first database.
type Server struct {
	// Durable makes the server flush its writes. Otherwise the operating system does, which is
	// enough while the system runs.
	Durable bool

	once      sync.Once
	err       error
	dir       string
	as        *syscall.SysProcAttr
	mu        sync.Mutex
	cmd       *exec.Cmd
	watch     group.Group // waits for it
	hold      io.Closer   // the server ends with it, also when this process is killed
	databases int
}

// Close ends the server, and removes its directory.
func (s *Server) Close() {
	s.Stop()
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// programs finds where PostgreSQL's programs are.
func programs() string {
	if path, err := exec.LookPath("pg_ctl"); err == nil {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "initdb")); err == nil {
			return filepath.Dir(path)
		}
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(dirs) == 0 {
		return ""
	}
	return filepath.Dir(dirs[len(dirs)-1])
}

// Database makes an empty database for a test, on a server that is started if it is
// not running. The address is a key=value list.
func (s *Server) Database(t testing.TB) (address string) {
	t.Helper()
	testrequire.Thing(t, programs() != "", "PostgreSQL", "apt-get install postgresql")
	address, err := s.NewDatabase(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// NewDatabase is Database for callers without a test.
func (s *Server) NewDatabase(ctx context.Context) (address string, err error) {
	s.once.Do(func() {
		if s.err = s.prepare(); s.err == nil {
			s.err = s.Start()
		}
	})
	if s.err != nil {
		return "", s.err
	}
	s.mu.Lock()
	s.databases++
	name := fmt.Sprintf("test%d", s.databases)
	s.mu.Unlock()
	conn, err := pgx.Connect(ctx, s.Address("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return s.Address(name), errors.Join(err, conn.Close(ctx))
}

// Address is that of a database.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("host=%s user=postgres dbname=%s sslmode=disable", s.dir, database)
}

// Socket is where the server listens.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// prepare makes the directory of the server, which does not run as root.
func (s *Server) prepare() (err error) {
	if s.dir, err = os.MkdirTemp("/tmp", "dougu-pg-"); err != nil {
		return err
	}
	s.as = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
		s.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	initdb := exec.Command(filepath.Join(programs(), "initdb"), "-D", filepath.Join(s.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = s.dir, s.as
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, said)
	}
	return nil
}

// guard runs PostgreSQL, and ends it when its own standard input ends.
const guard = `exec 3<&0; "$@" </dev/null & pid=$!; (read -r _ <&3; kill -QUIT $pid) & wait $pid; status=$?; kill $! 2>/dev/null; exit $status`

// Start starts the server with its data, and waits until it responds.
func (s *Server) Start() error {
	deadline := time.Now().Add(patience)
	for {
		err := s.start(deadline)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(100 * time.Millisecond) // a killed server may still run
	}
}

func (s *Server) start(deadline time.Time) error {
	sync := "off"
	if s.Durable {
		sync = "on"
	}
	cmd := exec.Command("/bin/sh", "-c", guard, "sh", filepath.Join(programs(), "postgres"), "-D", filepath.Join(s.dir, "data"), "-k", s.dir,
		"-c", "listen_addresses=", "-c", "max_connections=100", "-c", "fsync="+sync, "-c", "full_page_writes="+sync, "-c", "unix_socket_permissions=0777")
	cmd.Dir, cmd.SysProcAttr = s.dir, s.as
	hold, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.mu.Lock()
	s.cmd, s.hold = cmd, hold
	s.mu.Unlock()
	ended := make(chan struct{})
	s.watch = group.Group{}
	s.watch.Go(func() {
		defer close(ended)
		_ = cmd.Wait()
	})
	for ; ; time.Sleep(20 * time.Millisecond) {
		err := s.answers()
		if err == nil {
			return nil
		}
		gone := false
		select {
		case <-ended:
			gone = true
		default:
		}
		if gone || time.Now().After(deadline) {
			s.Stop()
			said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("PostgreSQL does not start: %w: %s", err, said)
		}
	}
}

func (s *Server) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience/4)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.Address("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// pid is the process of the server, 0 if there is none.
func (s *Server) pid() int {
	data, _ := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	first, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

// Stop ends the server at once, as if it had crashed, but with its processes.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.hold.Close()
	s.watch.Wait()
	s.cmd = nil
}

// Kill kills the server and all its processes with SIGKILL.
func (s *Server) Kill() {
	pid := s.pid()
	backends := children(pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, backend := range backends {
		_ = syscall.Kill(backend, syscall.SIGKILL)
	}
	s.Stop() // records the end of the process
}

// children are the processes whose parent is pid.
func children(pid int) (found []int) {
	out, _ := exec.Command("ps", "-o", "pid=", "--ppid", strconv.Itoa(pid)).Output()
	for field := range strings.FieldsSeq(string(out)) {
		if child, err := strconv.Atoi(field); err == nil {
			found = append(found, child)
		}
	}
	return found
}
