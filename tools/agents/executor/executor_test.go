package executor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// local is an executor whose program may be gone.
type local struct {
	echo
	gone error
}

func (l local) Find() error { return l.gone }

// wrapper is an executor around another one.
type wrapper struct {
	echo
	inner executor.Executor
}

func (w wrapper) Unwrap() executor.Executor { return w.inner }

func TestFind(t *testing.T) {
	gone := local{gone: executor.ErrUnavailable}
	for name, tc := range map[string]struct {
		e    executor.Executor
		want error
	}{
		"there": {local{}, nil}, "gone": {gone, executor.ErrUnavailable}, "does not know": {echo{}, nil}, "none": {nil, nil},
		"wrapped": {wrapper{inner: wrapper{inner: gone}}, executor.ErrUnavailable}, "wrapped nothing": {wrapper{}, nil},
	} {
		if err := executor.Find(tc.e); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, valid := range map[string]bool{
		"cursor": true, "my-agent_2": true, "4": true, "": false, "-x": false, "a b": false, "a/b": false, "é": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := executor.CheckName(name); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}
