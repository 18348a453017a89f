package executor_test

import (
	"errors"
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
