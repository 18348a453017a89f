package driver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver"
)

func TestParts(t *testing.T) {
	broken := errors.New("broken")
	note := func(name string, err error) driver.Part[*strings.Builder] {
		return driver.Part[*strings.Builder]{Name: name, Run: func(measured *strings.Builder, _ context.Context) error {
			measured.WriteString(name + " ")
			return err
		}}
	}
	parts := driver.Parts[*strings.Builder]{note("start", nil), note("calls", broken), note("memory", nil)}
	for _, tc := range []struct{ names, measured, fails string }{
		{"memory,start", "start memory ", ""},
		{"start,start", "start ", ""},
		{parts.String(), "start calls ", "measuring calls: broken"},
		{"start,all", "", `there is no part "all"; there are start, calls, memory`},
		{"", "", `there is no part ""`},
	} {
		var measured strings.Builder
		chosen, err := parts.Choose(tc.names)
		if err == nil {
			err = chosen.Run(t.Context(), &measured)
		}
		if measured.String() != tc.measured || (err == nil) != (tc.fails == "") || err != nil && !strings.HasPrefix(err.Error(), tc.fails) {
			t.Errorf("%q: measured %q, %v", tc.names, measured.String(), err)
		}
	}
}
