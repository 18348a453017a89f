package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/neovim/plugin"
)

func ExampleInstall() {
	data, err := os.MkdirTemp("", "example-") // stdpath('data')
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(data)
	dir := filepath.Join(data, "site", "pack", "dougu", "start", "dougu")
	if err := plugin.Install(dir, "1.2.3"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plugin.Version(dir))
	// Output: 1.2.3 <nil>
}
