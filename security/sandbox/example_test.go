package sandbox_test

import (
	"context"
	"fmt"
	"log"
	"os/exec"

	"github.com/dougu-go/dougu/security/sandbox"
)

// A program that runs commands in a sandbox. On a system without one, the mode Auto runs them as they are, and Status says so.
func ExampleNew() {
	helper := sandbox.Main() // first in main: the program is its own helper
	box, err := sandbox.New(context.Background(), sandbox.Options{Helper: helper, Dirs: []string{"/srv/project"}, Network: sandbox.NetworkOff})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	fmt.Println(box.Status())
	cmd := exec.Command("make", "test")
	cmd.Dir = "/srv/project"
	if err := box.Wrap(cmd); err != nil {
		log.Fatal(err)
	}
	fmt.Println(cmd.Run())
}
