package catalog_test

import (
	"fmt"

	"github.com/dougu-go/dougu/bench/catalog"
)

func ExampleGreet() {
	fmt.Printf("%+v\n", catalog.Greet(catalog.GreetArgs{Name: "Ada", Count: 3, Tags: []string{"early"}}))
	// Output: {Greeting:Hello, Ada Total:3 Tags:[early]}
}
