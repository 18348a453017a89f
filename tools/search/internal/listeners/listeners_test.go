package listeners_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/search/internal/listeners"
)

func TestListeners(t *testing.T) {
	var l listeners.Listeners
	var got []string
	record := func(name string) func([]string) {
		return func(paths []string) { got = append(got, fmt.Sprint(name, paths)) }
	}
	l.Notify([]string{"a"})
	stop := l.Add(record("first"))
	l.Add(record("second"))
	l.Notify([]string{"b"})
	stop()
	l.Notify(nil)
	l.Notify(make([]string, 1001))
	slices.Sort(got)
	if want := []string{"first[b]", "second[]", "second[b]"}; !slices.Equal(got, want) {
		t.Errorf("the calls are %q, want %q", got, want)
	}
}
