package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/process"
)

const ancestorVariable = "DOUGU_TEST_ANCESTOR"

// ancestors prints the value of the variable in each ancestor of this process, one per line.
func ancestors() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for environ := range process.Ancestors() {
		value := "none"
		for _, v := range environ {
			if text, ok := strings.CutPrefix(v, ancestorVariable+"="); ok {
				value = text
			}
		}
		fmt.Fprintln(out, value)
	}
}

// Ancestors yields the environments of the ancestors, the nearest first.
func TestAncestors_Environments(t *testing.T) {
	if runtime.GOOS != "linux" {
		for environ := range process.Ancestors() {
			t.Fatalf("there is an ancestor with %q", environ)
		}
		t.Skip("only Linux tells")
	}
	large := make([]string, 12)
	for i := range large {
		large[i] = fmt.Sprintf("LARGE_%d=%s", i, strings.Repeat("x", 100<<10))
	}
	const (
		self    = ` env -i GORACE=atexit_sleep_ms=0 ` + childVariable + `=ancestors "$SELF"; :` // which is no longer the shell itself
		cleared = `env -i SELF="$SELF" sh -c '` + self + `'; :`
		nested  = `if [ "$1" -gt 0 ]; then sh -c "$0" "$0" $(($1 - 1)); else ` + self + `; fi; :`
	)
	for name, test := range map[string]struct {
		script string
		args   []string
		env    []string
		want   []string // the nearest; the test itself is behind them
	}{
		"of one whose environment was cleared": {self, nil, []string{ancestorVariable + "=child"}, []string{"child"}},
		"through one that has nothing":         {cleared, nil, []string{ancestorVariable + "=child"}, []string{"none", "child"}},
		"the nearest first":                    {ancestorVariable + `=inner sh -c '` + self + `'; :`, nil, []string{ancestorVariable + "=outer"}, []string{"inner", "outer"}},
		"empty":                                {self, nil, []string{ancestorVariable + "="}, []string{""}},
		"behind much else":                     {self, nil, append(large, ancestorVariable+"=last"), []string{"last"}},
		"as far as 32":                         {nested, []string{nested, "40"}, []string{ancestorVariable + "=all"}, strings.Fields(strings.Repeat("all ", 32))},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", test.script}, test.args...)...)
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SELF=" + os.Args[0]}, test.env...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if len(got) < len(test.want) || len(got) > 32 || strings.Join(got[:len(test.want)], "|") != strings.Join(test.want, "|") {
				t.Errorf("the ancestors have %q, want %q first", got, test.want)
			}
		})
	}
}
