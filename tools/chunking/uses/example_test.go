package uses_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// Two methods have the name Close. The type of the variable decides which one is called.
func ExampleFinder_Find() {
	files := texts{
		"door.go": "package house\n\ntype Door struct{}\n\nfunc (d *Door) Close() {}\n",
		"file.go": "package house\n\ntype File struct{}\n\nfunc (f *File) Close() {}\n",
		"main.go": "package house\n\nfunc leave(d *Door, f *File) {\n\tf.Close()\n\td.Close()\n}\n",
	}
	finder := uses.NewFinder(files)
	r, err := finder.Find(context.Background(), uses.Declaration{Path: "door.go", Name: "Close", Offset: 50, Language: source.Go})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range r.Uses {
		fmt.Println(u.Path, u.Line, u.Certainty == uses.Resolved)
	}
	fmt.Println(r.Others, "with another target")
	// Output:
	// main.go 5 true
	// 1 with another target
}
