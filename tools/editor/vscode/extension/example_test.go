package extension_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file, err := os.Create(filepath.Join(dir, "dougu.vsix")) // for "code --install-extension dougu.vsix"
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := extension.Write(file, "1.2.3"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(extension.ID, file.Close())
	// Output: dougu-go.dougu <nil>
}
