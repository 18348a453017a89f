// Command loadtest calls a tool of a server over HTTP as often as it is told.
//
//	loadtest -tool greet -args '{"name": "foo"}' http://localhost:8080
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpclient"
)

func main() {
	duration := flag.Duration("duration", time.Minute, "duration of the load test")
	tool := flag.String("tool", "", "tool to call")
	args := flag.String("args", "{}", "JSON arguments to pass")
	workers := flag.Int("workers", 10, "number of concurrent workers")
	timeout := flag.Duration("timeout", time.Second, "request timeout")
	qps := flag.Int("qps", 100, "tool calls per second, per worker")
	verbose := flag.Bool("v", false, "log every result")
	cleanup := flag.Bool("cleanup", true, "close sessions at the end of the test")
	flag.Parse()
	if flag.NArg() != 1 || *tool == "" {
		log.Fatal("Usage: loadtest [flags] URL, with -tool")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *duration)
	defer cancel()
	start := time.Now()
	var succeeded, failed atomic.Int64
	var running sync.WaitGroup
	for range *workers {
		running.Go(func() {
			client, err := mcp.Connect(ctx, &httpclient.Client{URL: flag.Arg(0)}, mcp.Implementation{Name: "mcp-client", Version: "v1.0.0"}, &mcp.ClientOptions{Timeout: *timeout})
			if err != nil {
				log.Fatal(err)
			}
			if *cleanup {
				defer client.Close()
			}
			ticker := time.NewTicker(time.Second / time.Duration(*qps))
			defer ticker.Stop()
			for range ticker.C {
				result, err := client.CallTool(ctx, *tool, json.RawMessage(*args), nil)
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					failed.Add(1)
				default:
					succeeded.Add(1)
				}
				if *verbose {
					log.Printf("%+v, %v", result, err)
				}
			}
		})
	}
	running.Wait()
	took := time.Since(start)
	fmt.Printf("Results (in %s):\n", took)
	fmt.Printf("\tsuccess: %d (%g QPS)\n", succeeded.Load(), float64(succeeded.Load())/took.Seconds())
	fmt.Printf("\tfailure: %d (%g QPS)\n", failed.Load(), float64(failed.Load())/took.Seconds())
}
