package embed_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/search/embed"
)

func ExampleFuse() {
	byWords := []string{"push.go", "queue.go", "stack.go"}
	byMeaning := []string{"queue.go", "buffer.go", "push.go"}
	for _, f := range embed.Fuse(byWords, byMeaning) {
		fmt.Printf("%s %.4f\n", f.Item, f.Score)
	}
	// Output:
	// queue.go 0.0325
	// push.go 0.0323
	// buffer.go 0.0161
	// stack.go 0.0159
}
