package driver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// pretend is a variable that makes the test binary a server. The value selects its fault.
const pretend = "BENCH_PRETEND"

func TestMain(m *testing.M) {
	if manner := os.Getenv(pretend); manner != "" {
		misbehave(manner)
		return
	}
	dir, err := os.MkdirTemp("", "dougu-bench-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	builds.dir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func misbehave(manner string) {
	if manner == "dies" {
		fmt.Fprintln(os.Stderr, "no licence")
		return
	}
	if manner == "says something else" {
		fmt.Println("Welcome!")
	}
	revision := protocol
	if manner == "speaks another revision" {
		revision = "1999-12-31"
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		_, id, ok := strings.Cut(in.Text(), `"id":`)
		if !ok {
			continue
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"content":[]}}`+"\n", id[:idWidth], revision)
	}
}

// built builds a server once for all tests.
func built(t *testing.T, server Server) Binary {
	t.Helper()
	builds.Lock()
	build, ok := builds.of[server.Name]
	if !ok {
		build = sync.OnceValues(func() (Binary, error) { return Build(context.Background(), server, builds.dir) })
		builds.of[server.Name] = build
	}
	builds.Unlock()
	binary, err := build()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

var builds = struct {
	sync.Mutex
	dir string
	of  map[string]func() (Binary, error)
}{of: make(map[string]func() (Binary, error))}

func TestMeasure_AllWorkloads(t *testing.T) {
	t.Parallel()
	workloads := []string{Small, Search, List, Text64K, Text1M, Start, HTTPStateless, HTTPSession, WebSocket}
	for _, server := range Servers() {
		t.Run(server.Name, func(t *testing.T) {
			t.Parallel()
			told := 0
			report, err := Measure(t.Context(), []Binary{built(t, server)}, workloads, Options{
				Rounds: 2, Calls: 40, InFlight: 4, Starts: 2,
				Progress: func(int, string, string) { told++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range report.Cells {
				if len(cell.Samples) != 2 {
					t.Errorf("workload %s was not measured twice: %+v", cell.Workload, cell)
				}
				for _, s := range cell.Samples {
					if s.Wall <= 0 || runtime.GOOS == "linux" && (s.CPU <= 0 || s.PeakRSS <= 0) {
						t.Errorf("workload %s has an empty sample %+v", cell.Workload, s)
					}
				}
			}
			socketRows := map[string]int{Floor: 1, Dougu: 2}[server.Name]
			if want := len(workloads) - 1 + socketRows; len(report.Cells) != want || told != 2*want {
				t.Errorf("there are %d rows and %d measurements were told of, want %d and twice as many", len(report.Cells), told, want)
			}
			if report.Versions[server.Name] == "" {
				t.Error("the report has no version")
			}
		})
	}
}

func TestMeasure_WrongResults(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ manner, workload, want string }{
		{"dies", Small, "no licence"},
		{"dies", Start, "no licence"},
		{"dies", HTTPStateless, "no licence"},
		{"dies", HTTPSession, "no licence"},
		{"speaks another revision", Small, "1999-12-31"},
		{"answers emptily", Small, "structured content"},
		{"answers emptily", List, "50 tools"},
		{"says something else", HTTPStateless, "instead of where it listens"},
	}
	for _, test := range tests {
		t.Run(test.manner+" in "+test.workload, func(t *testing.T) {
			t.Setenv(pretend, test.manner)
			pretender := Binary{Server: Server{Name: "pretender"}, Path: self}
			_, err := Measure(t.Context(), []Binary{pretender}, []string{test.workload}, Options{Rounds: 1, Calls: 1, Starts: 1})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "pretender") {
				t.Errorf("got %v, want an error that names the server and says %q", err, test.want)
			}
		})
	}
}

func TestMeasure_UnknownWorkload(t *testing.T) {
	t.Parallel()
	if _, err := Measure(t.Context(), nil, []string{"sleep"}, Options{}); err == nil || !strings.Contains(err.Error(), `"sleep"`) {
		t.Errorf("an unknown workload gave %v", err)
	}
	if _, err := Measure(t.Context(), nil, nil, Options{Tools: 1}); err == nil {
		t.Error("servers of one tool were accepted")
	}
	absent := Binary{Server: Server{Name: "absent"}, Path: t.TempDir() + "/absent"}
	for _, workload := range []string{Small, Start} {
		if _, err := Measure(t.Context(), []Binary{absent}, []string{workload}, Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s with no executable gave %v", workload, err)
		}
	}
}

func TestBuild_MissingImport(t *testing.T) {
	t.Parallel()
	_, err := Build(t.Context(), Server{Name: "nosuch"}, t.TempDir())
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "servers/nosuch") {
		t.Errorf("got %v, want ErrMissing and the name of the package", err)
	}
}

func TestTail_Write(t *testing.T) {
	t.Parallel()
	var said tail
	for i := range 1000 {
		fmt.Fprintf(&said, "line %d\n", i)
	}
	got := said.String()
	if len(got) > tailBytes || !strings.HasSuffix(got, "line 999") {
		t.Errorf("kept %d bytes that end with %q", len(got), got[max(0, len(got)-20):])
	}
}
