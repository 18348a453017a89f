package edit_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// A model that was shown a Go file writes spaces where the file has tabs.
func Example() {
	file := "func f() {\n\tif ok {\n\t\treturn\n\t}\n}\n"
	result, err := edit.Plan(file, []edit.Edit{{
		Old: "    if ok {\n        return\n    }",
		New: "    if ok {\n        log(\"ok\")\n        return\n    }",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("line", result.Applied[0].Line, "ignoring", result.Applied[0].By.Ignored())
	fmt.Printf("%q\n", result.Apply(file))
	// Output:
	// line 2 ignoring indentation
	// "func f() {\n\tif ok {\n\t\tlog(\"ok\")\n\t\treturn\n\t}\n}\n"
}

// The error of an edit without a match shows the most similar lines.
func ExampleNoMatchError() {
	_, err := edit.Plan("one\ntwo\nthree\n", []edit.Edit{{Old: "one\n  two\ndrei\n", New: "1\n"}})
	fmt.Println(err)
	// Output:
	// edit 1: oldText is not in the file. Nearest is what stands at lines 1 to 3 (- oldText, + the file; · is a space, → a tab, ␍ a CR):
	// --- oldText
	// +++ file
	// @@ -1,3 +1,3 @@
	//  one
	// -··two
	// -drei
	// +two
	// +three
}
