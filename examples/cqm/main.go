// Command cqm finds things in a project for many AI clients at once: it ranks code
// and documents together, finds similar code, tells what the project is and what
// has changed, and searches and creates issues on GitHub. Run on a terminal it
// explains itself.
//
// "cqm search", "similar" and "status" do the same for a person.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/cqm"
)

func main() {
	os.Exit(cqm.New().Main(os.Args[1:]))
}
