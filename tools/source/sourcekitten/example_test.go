package sourcekitten_test

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/source/sourcekitten"
)

func Example() {
	p := sourcekitten.New(sourcekitten.Options{Program: "/opt/none/sourcekitten"})
	if err := p.Available(); errors.Is(err, sourcekitten.ErrNotInstalled) {
		fmt.Println("other parsers read Swift here")
	}
	// Output: other parsers read Swift here
}
