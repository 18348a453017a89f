package dashboard_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// The dashboard shows the records of a store and a log.
func Example() {
	ctx := context.Background()
	memory := record.NewMemory(record.MemoryOptions{})
	defer memory.Close()
	d, err := dashboard.New(dashboard.Options{Store: memory, Events: memory.Log(), Outputs: memory.Outputs(), Name: "crew", Version: "1.0.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close(ctx)
	if _, err := d.Listen(ctx, "127.0.0.1:0"); err != nil { // the default is port 9696, or one of the next
		fmt.Println(err)
		return
	}
	// The owner opens d.URL(true) in a browser.
	answer, err := http.Get(d.URL(false) + "api/health")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(string(body))
	// Output: {"name":"crew","status":"ok","version":"1.0.0"}
}
