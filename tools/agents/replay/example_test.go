package replay_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/replay"
)

func ExampleMain() {
	var out bytes.Buffer
	args := []string{"-p", "--output-format", "stream-json", "--model", "auto"}
	code := replay.Main(args, strings.NewReader("Hello [fake:ok]"), &out, os.Stderr, []string{"FAKEAGENT_SPEED=0"})
	fmt.Println(code, strings.Contains(out.String(), `"result":"OK"`))
	// Output: 0 true
}
