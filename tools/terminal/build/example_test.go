package build_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/terminal/build"
)

// A plan is made from the files of a project. The caller runs its commands and passes their output to a Matcher.
func Example() {
	files := tree("go.mod\nadd.go")
	plan, err := build.PlanOf(files, ".", build.Auto, "test")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range plan.Steps {
		fmt.Println("run:", step)
	}

	m := build.NewMatcher(plan.System, "/home/me/project")
	fmt.Fprint(m, "# example.com/add\n./add.go:3:9: undef")
	fmt.Fprint(m, "ined: b\nFAIL\texample.com/add [build failed]\n")
	m.Close()
	for _, p := range m.Problems() {
		fmt.Println(p)
	}
	// Output:
	// run: go test -trimpath=false -fullpath ./...
	// add.go:3:9: error: undefined: b
}
